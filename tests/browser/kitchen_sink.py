"""A process with every kind of step and nearly every option of the format, and its form."""

from __future__ import annotations

from typing import Any

DOCUMENT: dict[str, Any] = {
    "flowdoc": 1,
    "key": "sink",
    "name": "Kitchen sink",
    "form": {"key": "sink"},
    "title": "{initiator.name} {form.days}",
    "summary": ["days", "amount"],
    "number": {"prefix": "KS", "period": "month", "width": 5},
    "start": {
        "who": {"any_of": [{"by": "department", "ids": ["head"], "deep": True}]},
        "fields": {"default": "edit", "set": {"text": "hide", "amount": "must"}},
    },
    "managers": {"any_of": [{"by": "role", "ids": ["designers"]}]},
    "limits": {"open_per_initiator": 4},
    "policy": {
        "dedupe": "keep_last",
        "on_self": "head",
        "initiator_cancel": "while_running",
        "take_back": {"on": True, "within": "PT48H"},
        "reversal": {"on": True, "flow": "leave", "within": "PT72H"},
        "comment": "always",
        "clock": "wall",
        "branch_reject": "branch_only",
        "visibility": "managers",
    },
    "steps": [
        {
            "id": "first",
            "kind": "approve",
            "name": "First",
            "note": "Look well.",
            "who": {
                "any_of": [
                    {"by": "user", "ids": ["bao", "chi"]},
                    {"by": "role", "ids": ["designers"], "within": "same_branch"},
                    {"by": "department", "ids": ["finance"], "deep": True},
                    {"by": "head", "of": {"field": "where"}, "level": 2, "missing": "none"},
                    {
                        "by": "head_chain",
                        "of": {"department": "engineering"},
                        "until": {"level": 3},
                    },
                    {"by": "manager", "of": {"decider_of": "first"}, "level": 2},
                    {"by": "initiator"},
                    {
                        "by": "picked_at_start",
                        "min": 1,
                        "max": 3,
                        "from": {"any_of": [{"by": "department", "ids": ["people"]}]},
                    },
                    {"by": "picked_by", "step": "first", "min": 1, "max": 2},
                    {"by": "form_users", "field": "who"},
                    {"by": "form_department_head", "field": "where", "level": 1},
                    {"by": "deciders_of", "step": "first"},
                    {"by": "rule", "key": "hr/approvers", "version": 2},
                ],
                "without": [{"by": "initiator"}],
                "order": "near_first",
                "cap": 7,
            },
            "decide": {
                "mode": "vote",
                "need": {"num": 2, "den": 3},
                "weights": {"bao": 2},
                "early": False,
            },
            "reject": {
                "counts": "cannot_pass",
                "then": {"do": "back", "to": "start", "resume": "here"},
            },
            "on_empty": {
                "do": "people",
                "who": {"any_of": [{"by": "user", "ids": ["dan"]}]},
                "then": {"do": "managers"},
            },
            "on_self": "skip",
            "repeat_skip": "adjacent",
            "deadline": {
                "after": "PT51H",
                "clock": "wall",
                "count_from": "entry",
                "remind": [
                    {"before": "PT1H", "every": "PT30M", "max": 4, "to": ["holder", "initiator"]}
                ],
                "then": {"reassign": {"any_of": [{"by": "role", "ids": ["designers"]}]}},
            },
            "acts": {
                "transfer": True,
                "delegate": True,
                "return_to": "any",
                "comment": False,
                "edit_future": True,
                "labels": {"approve": "Yes!", "reject": "No!"},
            },
            "evidence": {"comment": "must", "signature": "may", "files": "must"},
            "fields": {
                "default": "read",
                "set": {"days": "edit", "rows": "edit", "rows.cost": "must", "text": "hide"},
                "rows": {"rows": ["add"]},
            },
            "on_event": [
                {"on": "approved", "notice": {"to": ["initiator"], "text": "done"}},
                {"on": "closed", "post": {"url": "https://example.com/hook"}},
                {"on": "rejected", "post": {"target": "erp"}},
            ],
        },
        {
            "id": "size",
            "kind": "choice",
            "name": "Size",
            "branches": [
                {
                    "id": "big",
                    "name": "Big",
                    "when": {
                        "any": [
                            {
                                "all": [
                                    {"field": "amount", "op": "gt", "value": "1000"},
                                    {"not": {"field": "tags", "op": "has_any", "value": ["x"]}},
                                ]
                            },
                            {"initiator": "in_role", "ids": ["designers"]},
                            {"step": "first", "outcome": "approved"},
                            {"rule": "fin/big", "version": "latest_at_entry", "is": True},
                            {"field": "rows", "op": "sum_ge(cost)", "value": "5"},
                        ]
                    },
                    "steps": [
                        {
                            "id": "do_it",
                            "kind": "work",
                            "name": "Do it",
                            "who": {"any_of": [{"by": "initiator"}]},
                            "decide": {"mode": "in_order"},
                            "deadline": {
                                "after": {"field": "from_day"},
                                "then": {"goto": "first"},
                            },
                        }
                    ],
                },
                {
                    "id": "rest",
                    "name": "Rest",
                    "otherwise": True,
                    "steps": [
                        {"id": "stop", "kind": "finish", "name": "Stop", "result": "rejected"}
                    ],
                },
            ],
        },
        {
            "id": "both",
            "kind": "parallel",
            "name": "Both",
            "join": {"at_least": 1},
            "branch_reject": "whole_flow",
            "branches": [
                {
                    "id": "left",
                    "name": "Left",
                    "steps": [
                        {
                            "id": "tell",
                            "kind": "copy",
                            "name": "Tell",
                            "who": {"any_of": [{"by": "role", "ids": ["designers"]}]},
                            "also_initiator_picks": True,
                        }
                    ],
                },
                {
                    "id": "right",
                    "name": "Right",
                    "steps": [{"id": "wait", "kind": "delay", "name": "Wait", "for": "PT48H"}],
                },
            ],
        },
        {
            "id": "some",
            "kind": "inclusive",
            "name": "Some",
            "join": "first",
            "branches": [
                {
                    "id": "one",
                    "name": "One",
                    "when": {"field": "ok", "op": "is", "value": True},
                    "steps": [
                        {
                            "id": "auto",
                            "kind": "auto",
                            "name": "Auto",
                            "verdict": "approve",
                            "reason": "small",
                        }
                    ],
                },
                {
                    "id": "two",
                    "name": "Two",
                    "when": {"field": "from_day", "op": "within_next", "value": 14},
                    "steps": [],
                },
            ],
        },
        {
            "id": "call",
            "kind": "http",
            "name": "Call",
            "method": "POST",
            "url": "https://example.com/x",
            "headers": {"X-A": "b", "Authorization": {"secret": "token"}},
            "body": "{form.days}",
            "mode": "wait_callback",
            "timeout": "PT20S",
            "retry": "long",
            "save": [
                {"pointer": "/id", "to": {"field": "text"}, "type": "text"},
                {"pointer": "/n", "to": {"var": "count"}, "type": "integer"},
            ],
            "on_fail": {"goto": "first"},
        },
        {
            "id": "ask",
            "kind": "rule",
            "name": "Ask",
            "rule": {"key": "fin/score", "version": 3},
            "input": {"days": {"field": "days"}, "limit": "5", "n": {"var": "count"}},
            "save": {"text": "reason"},
        },
        {
            "id": "change",
            "kind": "set",
            "name": "Change",
            "changes": [
                {"field": "text", "to": "hello"},
                {"field": "amount", "to": None},
                {"field": "from_day", "to": {"now": True}},
                {"field": "days", "to": {"copy": "days"}},
                {"field": "kind", "to": {"rule": "fin/kind"}},
                {"field": "tags", "to": ["x"]},
            ],
        },
        {
            "id": "child",
            "kind": "subflow",
            "name": "Child",
            "flow": "leave",
            "version": 1,
            "wait": True,
            "starter": {"field": "who"},
            "input": {"reason": {"field": "text"}},
            "output": {"text": "reason"},
            "each": {"field": "rows", "mode": "one_by_one", "join": {"at_least": 2}},
            "on_child_reject": "continue",
        },
        {
            "id": "shout",
            "kind": "notice",
            "name": "Shout",
            "who": {"any_of": [{"by": "initiator"}]},
            "channel": ["inbox", "email"],
            "title": "Hello",
            "text": "{form.days} days",
        },
        {
            "id": "again",
            "kind": "goto",
            "name": "Again",
            "to": "first",
            "when": {"field": "days", "op": "gt", "value": "9"},
            "max": 3,
        },
        {
            "id": "until",
            "kind": "delay",
            "name": "Until",
            "until": "2030-01-02T03:04:00Z",
            "clock": "wall",
        },
    ],
}

FORM: dict[str, Any] = {
    "formdoc": 1,
    "fields": [
        {
            "id": "days",
            "type": "integer",
            "label": {"en": "Days", "zh-hans": "天数"},
            "required": True,
            "limits": {"min": "1", "max": "30"},
        },
        {"id": "amount", "type": "amount", "label": "Amount", "default": "10.00"},
        {
            "id": "kind",
            "type": "choice",
            "label": "Kind",
            "options": [
                {"id": "a", "label": "Alpha"},
                {"id": "b", "label": {"en": "Beta", "zh-hans": "乙"}},
            ],
            "default": "a",
        },
        {
            "id": "tags",
            "type": "multi_choice",
            "label": "Tags",
            "options": [{"id": "x", "label": "X"}, {"id": "y", "label": "Y"}],
            "limits": {"min_count": 1, "max_count": 2},
        },
        {
            "id": "from_day",
            "type": "date",
            "label": "From",
            "limits": {"earliest": "2026-01-01", "latest": "2030-12-31"},
        },
        {"id": "who", "type": "user", "label": "Who", "limits": {"max_count": 3}},
        {"id": "where", "type": "department", "label": "Where"},
        {
            "id": "ok",
            "type": "bool",
            "label": "Really",
            "show_if": {
                "all": [
                    {"field": "kind", "op": "is", "value": "b"},
                    {"field": "days", "op": "between", "value": ["2", "5"]},
                ]
            },
        },
        {
            "id": "rows",
            "type": "table",
            "label": "Rows",
            "columns": [
                {"id": "what", "type": "text", "label": "What"},
                {"id": "cost", "type": "amount", "label": "Cost", "required": True},
            ],
        },
        {"id": "total", "type": "amount", "label": "Total", "sum_of": ["rows.cost"]},
        {"id": "hint", "type": "note", "label": "Hint", "help": "Read <b>this</b>."},
        {
            "id": "text",
            "type": "long_text",
            "label": "Text",
            "help": {"en": "Why", "zh-hans": "原因"},
        },
    ],
}
