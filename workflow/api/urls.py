"""Addresses of the REST interface of workflow."""

from __future__ import annotations

from django.urls import path

from workflow.api import (
    decisions,
    flows,
    instances,
    problem_codes,
    publishing,
    steering,
    tasks,
)

__all__ = ["problem_codes", "urlpatterns"]  # the codes are described by being imported

urlpatterns = [
    path("flows/", flows.Flows.as_view(), name="api-flows"),
    path("flows/validate", publishing.Validate.as_view(), name="api-flows-validate"),
    path("flows/<str:key>/", flows.FlowDetail.as_view(), name="api-flow"),
    path("flows/<str:key>/versions/", flows.FlowVersions.as_view(), name="api-flow-versions"),
    path("flows/<str:key>/actions/publish", publishing.Publish.as_view(), name="api-flow-publish"),
    path("instances/", instances.Instances.as_view(), name="api-instances"),
    path("instances/<str:pk>/", instances.InstanceDetail.as_view(), name="api-instance"),
    path(
        "instances/<str:pk>/history/",
        instances.InstanceHistory.as_view(),
        name="api-instance-history",
    ),
    path(
        "instances/<str:pk>/actions/cancel", steering.Cancel.as_view(), name="api-instance-cancel"
    ),
    path(
        "instances/<str:pk>/actions/reassign",
        steering.Reassign.as_view(),
        name="api-instance-reassign",
    ),
    path("tasks/", tasks.Tasks.as_view(), name="api-tasks"),
    path("tasks/<str:pk>/", tasks.TaskDetail.as_view(), name="api-task"),
    path("tasks/<str:pk>/actions/approve", decisions.Approve.as_view(), name="api-task-approve"),
    path("tasks/<str:pk>/actions/reject", decisions.Reject.as_view(), name="api-task-reject"),
    path("tasks/<str:pk>/actions/comment", decisions.Comment.as_view(), name="api-task-comment"),
]
