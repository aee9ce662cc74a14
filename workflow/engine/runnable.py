"""What a valid document asks for and this version of the engine would silently not do.

What such a document asks for is told when it is published. Later versions shrink this module
until it is gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine.validation.look import warning

if TYPE_CHECKING:
    from workflow.engine.flowdoc import Flowdoc
    from workflow.forms.findings import Finding


def not_run_yet(doc: Flowdoc) -> tuple[Finding, ...]:
    """Everything in the document that this version would not do.

    What a person may do only if he wants to is the warning `not_run_yet.act`.
    """
    if doc.policy.reversal.on:
        return (warning("not_run_yet.act", None, "/policy/reversal", act="reversal"),)
    return ()
