"""FlowAdmin: approvals and workflows, one installation."""
