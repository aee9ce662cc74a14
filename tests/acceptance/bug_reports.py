"""The bug reports of other systems: what is right here, and which test says so."""

from __future__ import annotations

from dataclasses import dataclass

OURS = "tests.acceptance.test_bug_reports"
REST = "tests.acceptance.test_bug_reports_rest"
NOTICES = "tests.notifications.test_bug_reports"
_CLOCKS = "the whole stack under another clock"
_RULES = "the rules app"


@dataclass(frozen=True, slots=True)
class Report:
    """One report. ``proofs`` are ``module:function``; ``waits`` names what has to be built first.

    With both, the proofs show the part that is there.
    """

    area: str
    right: str
    proofs: tuple[str, ...] = ()
    waits: str = ""


REPORTS: dict[str, Report] = {
    "BR-01": Report(
        "timers",
        "One reminder, however many scan for it.",
        (f"{NOTICES}:test_br01_eight_scanners_at_once_send_each_reminder_once",),
    ),
    "BR-03": Report(
        "timers",
        "After an outage each reminder comes once.",
        (f"{NOTICES}:test_br03_after_an_outage_the_oldest_first_and_no_more_than_a_round",),
    ),
    "BR-05": Report(
        "timers",
        "A step that is entered again has a deadline of its own.",
        (
            f"{OURS}:test_br05_entered_again_the_deadline_is_a_new_row",
            "tests.seed_001.test_timeout_once:test_a_return_is_a_new_task_with_a_new_reminder",
        ),
    ),
    "BR-07": Report("timers", "The hour that comes twice skips nothing.", waits=_CLOCKS),
    "BR-09": Report(
        "callbacks",
        "A worker that always dies is given up on.",
        ("tests.seed_001.test_lease_reclaim:test_killed_at_each_of_five_attempts",),
    ),
    "BR-11": Report(
        "callbacks",
        "What a dead worker held is found by a scan.",
        (
            "tests.seed_001.test_lease_reclaim:test_killed_at_each_of_five_attempts",
            "tests.seed_001.test_lease_reclaim:test_a_lease_without_an_end_is_taken_over",
        ),
        waits="a database server that restarts in the middle",
    ),
    "BR-13": Report(
        "callbacks",
        "A dead address keeps no other waiting.",
        ("tests.seed_001.test_delivery_threads:test_nobody_waits_for_the_dead",),
    ),
    "BR-15": Report(
        "callbacks",
        "Only a failed delivery is sent again.",
        (
            "tests.seed_001.test_manual_retry:test_only_what_has_failed",
            "tests.seed_001.test_manual_retry:test_the_action_itself_asks_whose_it_is",
        ),
    ),
    "BR-17": Report(
        "concurrency",
        "Hundreds of approvals of one task at once are one decision.",
        (
            f"{REST}:test_br17_many_connections_approve_one_task_once",
            "tests.acceptance.test_operations:test_n52_two_at_once_are_one_decision",
        ),
    ),
    "BR-19": Report(
        "concurrency",
        "A job that two workers are told of is done once.",
        (f"{OURS}:test_br19_two_workers_at_once_do_a_job_once",),
    ),
    "BR-21": Report(
        "drafts",
        "Nothing but an edit moves a draft's version.",
        (
            "tests.api.test_design_drafts:test_each_save_is_one_version_more",
            "tests.api.test_design_drafts:test_a_draft_is_published_and_stands_on_its_version",
        ),
    ),
    "BR-23": Report(
        "engine",
        "A choice in which nothing may hold is not published.",
        (f"{OURS}:test_br23_a_choice_without_otherwise_is_not_published",),
    ),
    "BR-25": Report(
        "engine",
        "A join waits for the branches that run, whatever they hold.",
        (f"{OURS}:test_br25_a_choice_inside_a_branch_does_not_keep_the_join_waiting",),
    ),
    "BR-27": Report(
        "engine",
        "A return to a step of several opens a task for each of them.",
        (f"{OURS}:test_br27_a_return_to_three_people_makes_three_tasks",),
    ),
    "BR-29": Report(
        "rules",
        "Text is text wherever it stands; nothing of it is evaluated.",
        (f"{OURS}:test_br29_no_text_of_a_process_is_evaluated",),
        waits=_RULES,
    ),
    "BR-31": Report("rules", "A rule with an unknown node is not published.", waits=_RULES),
    "BR-33": Report(
        "rules",
        "The type of the field decides; another kind of value is a visible error.",
        (
            f"{OURS}:test_br33_a_value_of_another_kind_is_an_error",
            f"{OURS}:test_br33_equal_numbers_are_equal_however_written",
        ),
    ),
    "BR-35": Report(
        "permissions",
        "Calling a request off is the initiator's alone.",
        (
            f"{REST}:test_br35_only_the_initiator_withdraws",
            "tests.api.test_permission_matrix:test_who_may_what",
            "tests.seed_001.test_urge_limit:test_only_the_initiator_whatever_else_one_may_do",
            "tests.seed_001.test_manual_retry:test_the_action_itself_asks_whose_it_is",
        ),
    ),
    "BR-37": Report(
        "security",
        "An inner address is refused with one text, and nothing is sent.",
        ("tests.outbound.test_nothing_is_sent:test_no_denied_address_is_met_by_its_literal",),
    ),
    "BR-39": Report(
        "migrations", "A migration that was killed is completed.", waits="the merge of old tables"
    ),
    "BR-41": Report(
        "timers",
        "Each request keeps the times of its own version.",
        (
            f"{OURS}:test_br41_each_request_keeps_the_times_of_its_version",
            f"{NOTICES}:test_br41_and_br43_each_request_keeps_the_time_of_its_version",
        ),
    ),
    "BR-43": Report(
        "timers",
        "Another time in a new version is for new tasks; nothing and 0 mean off.",
        (
            f"{OURS}:test_br43_another_time_is_for_new_tasks",
            f"{NOTICES}:test_br41_and_br43_each_request_keeps_the_time_of_its_version",
        ),
    ),
    "BR-45": Report(
        "timers",
        "A second scan within its period does nothing.",
        (
            "tests.seed_001.test_scan_delay:test_the_pause_counts_from_the_end_of_a_slow_round",
            "tests.seed_001.test_scan_delay:test_a_clock_that_was_set_back_holds_nothing_up",
        ),
    ),
    "BR-47": Report(
        "timers",
        "Times without a zone are refused at the start.",
        (f"{OURS}:test_br47_times_without_zones_are_refused",),
    ),
    "BR-49": Report(
        "timers",
        "What is dispatched twice is done once.",
        ("tests.seed_001.test_scan_delay:test_three_schedulers_at_once_begin_one_round",),
    ),
    "BR-51": Report("migrations", "An old schedule is gone.", waits="a second release"),
    "BR-53": Report(
        "timers",
        "What a killed worker held is taken again when its lease ends.",
        (f"{OURS}:test_br53_what_a_dead_worker_held_is_taken_again",),
    ),
    "BR-55": Report(
        "timers",
        "Due is creation plus the minutes, to the second.",
        (f"{OURS}:test_br55_due_is_creation_plus_minutes",),
    ),
    "BR-57": Report(
        "callbacks", "A restart of Redis stops no delivery.", waits="a broker that is restarted"
    ),
    "BR-59": Report(
        "concurrency",
        "Two workers of one name do not act for each other.",
        (f"{OURS}:test_br59_two_workers_of_one_name_do_not_share_a_lease",),
    ),
    "BR-61": Report(
        "drafts",
        "A draft is saved under its own id.",
        ("tests.seed_001.test_optimistic_lock:test_the_second_window_is_told",),
    ),
    "BR-63": Report(
        "drafts",
        "People picked for several steps are all kept.",
        (
            f"{OURS}:test_br63_people_picked_for_two_branches_are_both_kept",
            "tests.seed_001.test_draft_persistence:test_an_application_comes_back_as_it_was_typed",
        ),
    ),
    "BR-65": Report(
        "engine",
        "Two of three are more than half, although the first said no.",
        (f"{OURS}:test_br65_two_of_three_pass_although_the_first_rejected",),
    ),
    "BR-67": Report(
        "engine",
        "A colleague's rejection is in the colleague's done list alone.",
        (
            "tests.acceptance.test_decisions:test_n05_a_colleagues_rejection_is_not_in_my_done_list",
        ),
    ),
    "BR-69": Report(
        "permissions",
        "Work that was taken is nobody else's.",
        (f"{REST}:test_br69_taken_work_is_gone_for_the_others",),
    ),
    "BR-71": Report(
        "engine",
        "An opinion goes back to whoever asked for it, one by one.",
        (f"{OURS}:test_br71_opinions_go_back_the_way_they_came",),
    ),
    "BR-73": Report(
        "engine",
        "Requests are never deleted, whatever their state.",
        (f"{REST}:test_br73_no_request_is_ever_deleted",),
    ),
    "BR-75": Report("rules", "A rule that runs ends on its version.", waits=_RULES),
    "BR-77": Report("rules", "One broken row stops nobody else.", waits=_RULES),
    "BR-79": Report(
        "security",
        "Inner addresses are refused unless somebody allows them.",
        ("tests.outbound.test_policy:test_the_policy_of_an_environment",),
    ),
    "BR-81": Report(
        "permissions",
        "What a worker makes is of the request's tenant.",
        (
            f"{OURS}:test_br81_one_worker_two_tenants",
            f"{NOTICES}:test_br81_one_round_two_tenants",
        ),
    ),
    "BR-83": Report(
        "permissions",
        "Numbers count what the lists show.",
        (f"{REST}:test_br83_numbers_count_what_the_lists_show",),
    ),
    "BR-85": Report(
        "permissions",
        "Many at once are still only one's own.",
        (f"{REST}:test_br85_forged_ids_change_nothing",),
    ),
    "BR-87": Report(
        "storage",
        "The file shrinks when it is told to.",
        ("tests.sqlite.test_compact:test_free_pages_go_back_to_the_disk",),
    ),
    "BR-89": Report(
        "ui",
        "Ids are texts; numbers keep their digits.",
        (f"{REST}:test_br89_ids_are_texts_and_numbers_keep_their_digits",),
    ),
    "BR-91": Report(
        "ui",
        "No list of the administration breaks.",
        (
            "tests.workflow.test_admin:test_every_list_and_page_opens",
            "tests.directory.test_admin:test_every_list_and_search_opens_for_an_operator",
        ),
    ),
    "BR-93": Report(
        "security",
        "Markup in a name is shown as it was typed.",
        (
            f"{REST}:test_br93_markup_is_shown_as_typed",
            f"{NOTICES}:test_br93_markup_is_shown_as_typed",
        ),
    ),
}
