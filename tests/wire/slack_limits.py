"""The platform's limits, each with the row of PLATFORMS.md that it comes from."""

from __future__ import annotations

from collections.abc import Mapping

# PLATFORMS.md: "Actions, commands, shortcuts, options and view submissions must be `ack()`ed; 3 s"
ACK_SECONDS = 3.0
# PLATFORMS.md: "A failed event is redelivered 3 times (at once, ~1 min, ~5 min)"
RETRY_AFTER_SECONDS = (0.0, 60.0, 300.0)
# PLATFORMS.md: "Socket Mode: ~10 concurrent connections per app (`too_many_websockets`)"
SOCKETS = 10
# PLATFORMS.md: "Tiers, per method per workspace per app: T1 1+/min, T2 20+, T3 50+, T4 100+"
TIERS: Mapping[int, int] = {1: 1, 2: 20, 3: 50, 4: 100}
# PLATFORMS.md: "`chat.postMessage` ~1/s/channel plus a workspace cap; 429 + `Retry-After`"
CHANNEL_SECONDS = 1.0

# PLATFORMS.md: "≤50 blocks per message, 100 per modal/Home; section text 3000, …"
MESSAGE_BLOCKS = 50
VIEW_BLOCKS = 100
INPUT = 3000
# PLATFORMS.md: "`markdown` block: standard Markdown incl. tables, 12,000 characters in total per payload"
MARKDOWN = 12_000
# PLATFORMS.md: "select ≤100 per group"
SELECT: Mapping[str, int] = {"options": 100, "option_groups": 100}
TEXTS: Mapping[str, Mapping[str, int]] = {
    "section": {"text": 3000},
    "fields": {"text": 2000},
    "header": {"text": 150},
    "button": {"text": 75, "value": 2000, "url": 3000},
    "option": {"text": 75, "value": 150},
    "plain_text_input": {"initial_value": INPUT},
    "markdown": {"text": MARKDOWN},
    # Not in PLATFORMS.md: the label and the hint of an input (`InputBlock`), the pictures (`ImageBlock`), the title
    # of a task (`task_update`: 256) in slack_sdk 3.48 and the methods' pages.
    "input": {"label": 2000, "hint": 2000},
    "image": {"alt_text": 2000, "image_url": 3000, "title": 2000},
    "task_update": {"title": 256},
    "plan_update": {"title": 256},
}
ITEMS: Mapping[str, Mapping[str, int]] = {
    "section": {"fields": 10},
    "context": {"elements": 10},
    "actions": {"elements": 25},
    "radio_buttons": {"options": 10},
    "checkboxes": {"options": 10},
    "static_select": SELECT,
    "multi_static_select": SELECT,
    "option_group": {"options": 100},
    # PLATFORMS.md: "Native 👍/👎: `feedback_buttons` inside a `context_actions` block (≤5 elements)"
    "context_actions": {"elements": 5},
    # PLATFORMS.md: "Card (in a carousel 1-10) works in messages"
    "carousel": {"elements": 10},
    # Not in PLATFORMS.md: `OverflowMenuElement` in slack_sdk 3.48.
    "overflow": {"options": 5},
}
# PLATFORMS.md: "`block_id` ≤255"; not in PLATFORMS.md: an `action_id` alike (slack_sdk 3.48)
IDENTIFIER = 255
# PLATFORMS.md: "modal title 24, `private_metadata` 3000"; slack_sdk 3.48: its buttons 24, `callback_id` 255
VIEW_TEXTS: Mapping[str, int] = {
    "title": 24,
    "submit": 24,
    "close": 24,
    "private_metadata": 3000,
    "callback_id": 255,
}
# PLATFORMS.md: "At most 3 views in a stack. `trigger_id`: once, within 3 s."
VIEW_STACK = 3
TRIGGER_SECONDS = 3.0

# PLATFORMS.md: "an undocumented whole-message limit of ~13.2k characters of blocks (`msg_blocks_too_long`)"
BLOCKS_TEXT = 13_200
# PLATFORMS.md: "`chat.postMessage` cuts text at 40,000 without an error; `chat.update` refuses text over 4,000"
POSTED_TEXT = 40_000
UPDATED_TEXT = 4_000
# PLATFORMS.md: "Streaming: … `markdown_text` ≤12,000 per call … `stopStream` may add ≤50 blocks"
STREAM_TEXT = 12_000
# PLATFORMS.md: "A stream lives about 300 s: then `message_not_in_streaming_state`"
STREAM_SECONDS = 300.0
# PLATFORMS.md: "`response_url`: 5 uses in 30 min"
RESPONSE_USES = 5
RESPONSE_SECONDS = 1800.0
# Not in PLATFORMS.md: suggested prompts of a thread, `assistant.threads.setSuggestedPrompts`.
PROMPTS = 4
