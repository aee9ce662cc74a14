"""The process format `flowdoc`, version 1: typed, immutable, without a name or a line of code.

The parts lie in `people`, `rules`, `steps` and `document`; this is the door through which the
rest of the engine takes them.
"""

from __future__ import annotations

from typing import Any

import msgspec

from workflow.engine.flowdoc.document import (
    Flowdoc,
    FormRef,
    Limits,
    Numbering,
    Policy,
    Reversal,
    Start,
    TakeBack,
)
from workflow.engine.flowdoc.durations import minutes_of, seconds_of
from workflow.engine.flowdoc.people import (
    AnySource,
    Base,
    BaseOf,
    ByDepartment,
    ByFormDepartmentHead,
    ByFormUsers,
    ByGroup,
    ByHead,
    ByHeadChain,
    ByInitiator,
    ByManager,
    ByPost,
    ByRole,
    ByRule,
    ByUser,
    DecidersOf,
    People,
    PickedAtStart,
    PickedBy,
    Until,
)
from workflow.engine.flowdoc.rules import (
    Acts,
    BackTo,
    Deadline,
    Decide,
    DecideAll,
    DecideAny,
    DecideClaim,
    DecideDraw,
    DecideInOrder,
    DecideVote,
    Empty,
    EmptyApprove,
    EmptyHold,
    EmptyManagers,
    EmptyPeople,
    EmptyRefuseStart,
    EmptyReject,
    EventNotice,
    EventPost,
    Evidence,
    FieldRef,
    Labels,
    Need,
    Overdue,
    Reject,
    RejectBack,
    RejectBranch,
    RejectEnd,
    Remind,
    Right,
    Rights,
    Self,
    StartRights,
    StepEvent,
)
from workflow.engine.flowdoc.scalars import Part, tag_of
from workflow.engine.flowdoc.steps import (
    AnyStep,
    ApproveStep,
    AtLeast,
    AutoStep,
    BlockStep,
    Branch,
    Change,
    ChoiceStep,
    Computed,
    CopyStep,
    DelayStep,
    Each,
    FinishStep,
    GotoRef,
    GotoStep,
    HttpStep,
    HumanStep,
    InclusiveStep,
    Join,
    NoticeStep,
    ParallelStep,
    RuleRef,
    RuleStep,
    Saved,
    SecretRef,
    SetStep,
    Step,
    SubflowStep,
    ValueOf,
    WorkStep,
)


def json_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of the format, from the same definition as the reader.

    It says what a canonical document looks like. The reader takes a little more (a deadline as a
    number of minutes, a blank one) and validation asks a little more (see the package's docs).
    """
    schema = msgspec.json.schema(Flowdoc)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


# fmt: off
__all__ = [
    "Acts", "AnySource", "AnyStep", "ApproveStep", "AtLeast", "AutoStep", "BackTo", "Base",
    "BaseOf", "BlockStep", "Branch", "ByDepartment", "ByFormDepartmentHead", "ByFormUsers",
    "ByGroup", "ByHead", "ByHeadChain", "ByInitiator", "ByManager", "ByPost", "ByRole", "ByRule",
    "ByUser", "Change", "ChoiceStep", "Computed", "CopyStep", "Deadline", "Decide", "DecideAll",
    "DecideAny", "DecideClaim", "DecideDraw", "DecideInOrder", "DecideVote", "DecidersOf",
    "DelayStep", "Each", "Empty", "EmptyApprove", "EmptyHold", "EmptyManagers", "EmptyPeople",
    "EmptyRefuseStart", "EmptyReject", "EventNotice", "EventPost", "Evidence", "FieldRef",
    "FinishStep", "Flowdoc", "FormRef", "GotoRef", "GotoStep", "HttpStep", "HumanStep",
    "InclusiveStep", "Join", "Labels", "Limits", "Need", "NoticeStep", "Numbering", "Overdue",
    "ParallelStep", "Part", "People", "PickedAtStart", "PickedBy", "Policy", "Reject",
    "RejectBack", "RejectBranch", "RejectEnd", "Remind", "Reversal", "Right", "Rights", "RuleRef",
    "RuleStep", "Saved", "SecretRef", "Self", "SetStep", "Start", "StartRights", "Step",
    "StepEvent", "SubflowStep", "TakeBack", "Until", "ValueOf", "WorkStep", "json_schema",
    "minutes_of", "seconds_of", "tag_of",
]
# fmt: on
