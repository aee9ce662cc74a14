"""Everything that can have happened to a request, in past tense; the history is made of these.

Each event carries what was decided *and why*, so that a replay asks nobody again and the history
stays true when the organisation changes. Actor and time stand beside the event, in its row.
"""

from __future__ import annotations

from workflow.engine.events.basis import (
    Chosen,
    Dropped,
    Event,
    Leaf,
)
from workflow.engine.events.outside import (
    ChildEnded,
    ChildrenPlanned,
    ChildStarted,
    PlannedChild,
)
from workflow.engine.events.requests import (
    Commented,
    FormChanged,
    FutureEdit,
    InstanceFinished,
    InstanceHeld,
    InstancePaused,
    InstanceReleased,
    InstanceResumed,
    InstanceStarted,
    Migrated,
    MigrationUndone,
    Remembered,
    StepMoved,
    VariablesSet,
    WentBack,
)
from workflow.engine.events.steps import (
    BranchArrived,
    BranchLeft,
    BranchTaken,
    CopySent,
    GotoDecided,
    NoticeSent,
    RuleAnswer,
    RulesAnswered,
    RulesAsked,
    StepEnded,
    StepEntered,
    StepReopened,
    TimedOut,
    WorkAsked,
    WorkEnded,
    WorkPutOff,
)
from workflow.engine.events.tasks import (
    GroupAdded,
    OpinionGiven,
    PeopleAdded,
    Picked,
    SubstituteAsked,
    TaskApproved,
    TaskAssigned,
    TaskBlocked,
    TaskClaimed,
    TaskClosed,
    TaskCompleted,
    TaskHandedOn,
    TaskOpened,
    TaskReassigned,
    TaskRejected,
    TaskReleased,
    TaskReturned,
    TaskSnoozed,
    TaskTakenBack,
)

AnyEvent = (
    InstanceStarted
    | StepEntered
    | RulesAsked
    | RulesAnswered
    | StepReopened
    | TaskAssigned
    | TaskOpened
    | TaskBlocked
    | TaskApproved
    | TaskRejected
    | TaskCompleted
    | TaskReturned
    | OpinionGiven
    | TaskHandedOn
    | TaskClosed
    | TaskReassigned
    | TaskTakenBack
    | TaskClaimed
    | TaskReleased
    | GroupAdded
    | PeopleAdded
    | Picked
    | TaskSnoozed
    | SubstituteAsked
    | TimedOut
    | FormChanged
    | Commented
    | BranchTaken
    | BranchLeft
    | BranchArrived
    | GotoDecided
    | WentBack
    | VariablesSet
    | WorkAsked
    | WorkPutOff
    | WorkEnded
    | ChildrenPlanned
    | ChildStarted
    | ChildEnded
    | CopySent
    | NoticeSent
    | StepEnded
    | InstanceHeld
    | InstanceReleased
    | InstancePaused
    | InstanceResumed
    | InstanceFinished
    | StepMoved
    | Migrated
    | MigrationUndone
)

# fmt: off
__all__ = [
    "AnyEvent", "BranchArrived", "BranchLeft", "BranchTaken", "ChildEnded", "ChildStarted",
    "ChildrenPlanned", "Chosen", "Commented", "CopySent", "Dropped", "Event", "FormChanged",
    "FutureEdit", "GotoDecided", "GroupAdded", "InstanceFinished", "InstanceHeld",
    "InstancePaused", "InstanceReleased", "InstanceResumed", "InstanceStarted", "Leaf", "Migrated",
    "MigrationUndone", "NoticeSent", "OpinionGiven", "PeopleAdded", "Picked", "PlannedChild",
    "Remembered", "RuleAnswer", "RulesAnswered", "RulesAsked",
    "StepEnded", "StepEntered", "StepMoved", "StepReopened", "SubstituteAsked", "TaskApproved",
    "TaskAssigned", "TaskBlocked", "TaskClaimed", "TaskClosed", "TaskCompleted", "TaskHandedOn",
    "TaskOpened", "TaskReassigned", "TaskRejected", "TaskReleased", "TaskReturned", "TaskSnoozed",
    "TaskTakenBack", "TimedOut", "VariablesSet", "WentBack", "WorkAsked", "WorkEnded",
    "WorkPutOff",
]
# fmt: on
