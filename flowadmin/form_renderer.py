"""How Django's forms look: our templates for forms and fields, Django's own for the widgets."""

from __future__ import annotations

from django.forms.renderers import TemplatesSetting


class FormRenderer(TemplatesSetting):
    """The `FORM_RENDERER`: label, help and errors of a field from ``components/field.html``.

    It needs ``django.forms`` among the installed apps, where the widgets' templates are found.
    """

    form_template_name = "components/form.html"
    field_template_name = "components/field.html"
