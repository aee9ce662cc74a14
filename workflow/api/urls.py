"""Addresses of the REST interface of workflow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import path

from workflow.api import (
    application_drafts,
    arranging,
    decisions,
    design_drafts,
    editing,
    explaining,
    flows,
    instances,
    operations,
    previewing,
    problem_codes,
    publishing,
    replies,
    steering,
    tasks,
    together,
    trying,
    versions,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rest_framework.views import APIView

__all__ = ["problem_codes", "urlpatterns"]  # the codes are described by being imported

ON_INSTANCES: Mapping[str, type[APIView]] = {
    "withdraw": steering.Withdraw,
    "resubmit": steering.Resubmit,
    "cancel": steering.Cancel,
    "reassign": steering.Reassign,
    "suspend": steering.Suspend,
    "resume": steering.Resume,
    "jump": steering.Jump,
    "edit-future": editing.EditFuture,
    "retry": editing.Retry,
}
ON_FLOWS: Mapping[str, type[APIView]] = {
    "publish": publishing.Publish,
    "undo-publish": versions.UndoPublish,
    "suspend": versions.SuspendFlow,
    "resume": versions.ResumeFlow,
    "arrange": arranging.ArrangeFlow,
    "favourite": arranging.FavourFlow,
}
ON_DESIGNS: Mapping[str, type[APIView]] = {
    "preview": trying.DraftPreview,
    "record": trying.DraftScenario,
    "what-if": trying.DraftWhatIf,
}
ON_TASKS: Mapping[str, type[APIView]] = {
    "approve": decisions.Approve,
    "reject": decisions.Reject,
    "complete": decisions.Complete,
    "return": decisions.Return,
    "transfer": operations.Transfer,
    "delegate": operations.Delegate,
    "hand-back": decisions.HandBack,
    "add-signer": operations.AddSigner,
    "remove-signer": operations.RemoveSigner,
    "copy": operations.Copy,
    "comment": decisions.Comment,
    "take-back": operations.TakeBack,
    "claim": operations.Claim,
    "release": operations.Release,
    "snooze": operations.Snooze,
    "ask-substitute": operations.AskSubstitute,
}

urlpatterns = [
    path("flows/", flows.Flows.as_view(), name="api-flows"),
    path("flows/validate", publishing.Validate.as_view(), name="api-flows-validate"),
    path("flows/<str:key>/", flows.FlowDetail.as_view(), name="api-flow"),
    path("flows/<str:key>/versions/", flows.FlowVersions.as_view(), name="api-flow-versions"),
    path("flows/<str:key>/preview", previewing.FlowPreview.as_view(), name="api-flow-preview"),
    *(
        path(f"flows/<str:key>/actions/{verb}", view.as_view(), name=f"api-flow-{verb}")
        for verb, view in ON_FLOWS.items()
    ),
    path("instances/", instances.Instances.as_view(), name="api-instances"),
    path("instances/<str:pk>/", instances.InstanceDetail.as_view(), name="api-instance"),
    path(
        "instances/<str:pk>/history/",
        instances.InstanceHistory.as_view(),
        name="api-instance-history",
    ),
    path(
        "instances/<str:pk>/explain/",
        explaining.InstanceExplanation.as_view(),
        name="api-instance-explain",
    ),
    *(
        path(f"instances/<str:pk>/actions/{verb}", view.as_view(), name=f"api-instance-{verb}")
        for verb, view in ON_INSTANCES.items()
    ),
    path(
        "application-drafts/",
        application_drafts.ApplicationDrafts.as_view(),
        name="api-application-drafts",
    ),
    path(
        "application-drafts/<str:pk>/",
        application_drafts.ApplicationDraftDetail.as_view(),
        name="api-application-draft",
    ),
    path(
        "application-drafts/<str:pk>/actions/submit",
        application_drafts.SubmitDraft.as_view(),
        name="api-application-draft-submit",
    ),
    path("design-drafts/", design_drafts.DesignDrafts.as_view(), name="api-design-drafts"),
    path(
        "design-drafts/<str:pk>/",
        design_drafts.DesignDraftDetail.as_view(),
        name="api-design-draft",
    ),
    *(
        path(f"design-drafts/<str:pk>/{verb}", view.as_view(), name=f"api-design-draft-{verb}")
        for verb, view in ON_DESIGNS.items()
    ),
    path("http-replies/<str:token>/", replies.HttpReply.as_view(), name="api-http-reply"),
    path("tasks/", tasks.Tasks.as_view(), name="api-tasks"),
    path("tasks/bulk-actions", together.BulkActions.as_view(), name="api-tasks-bulk"),
    path("tasks/<str:pk>/", tasks.TaskDetail.as_view(), name="api-task"),
    *(
        path(f"tasks/<str:pk>/actions/{verb}", view.as_view(), name=f"api-task-{verb}")
        for verb, view in ON_TASKS.items()
    ),
]
