"""The terminal: answers written as they come, and a conversation at a prompt."""

from __future__ import annotations

import asyncio
import sys
from contextlib import aclosing
from dataclasses import dataclass

from prompt_toolkit import PromptSession
from rich.console import Console
from rich.markdown import Markdown

from bot.coach import Coach
from rag.types import Answer, Delta, Restart

HELP = "Ask a question. /show N opens passage N, /tenant SLUG changes the certification, /quit ends."


async def ask(coach: Coach, tenant: str, text: str) -> Answer:
    """The final answer alone."""
    async with aclosing(coach.ask(tenant, text)) as events:
        async for event in events:
            if isinstance(event, Answer):
                return event
    raise AssertionError("an answer comes last")


async def show_answer(coach: Coach, tenant: str, text: str, console: Console) -> Answer:
    """Write the answer while it comes, then its citations and notices."""
    answer = None
    async with aclosing(coach.ask(tenant, text)) as events:
        async for event in events:
            match event:
                case Delta(piece):
                    console.print(piece, end="", markup=False, highlight=False, soft_wrap=True)
                case Restart():
                    console.print("\n[dim]— once more —[/]")
                case Answer():
                    answer = event
    assert answer is not None, "an answer comes last"
    console.print("" if answer.kind == "answer" else answer.text, markup=False, highlight=False, soft_wrap=True)
    _show_citations(answer, console)
    return answer


def _show_citations(answer: Answer, console: Console) -> None:
    if answer.citations:
        console.print()
    for citation in answer.citations:
        passage = answer.passages[citation.source]
        dated = f", checked {passage.dated}" if passage.dated else ""
        console.print(
            f"[{citation.number}] {citation.heading} ({passage.citation}{dated})", markup=False, highlight=False
        )
        if citation.url:
            console.print(f"    {citation.url}", style="dim", markup=False, highlight=False, soft_wrap=True)
    for notice in answer.notices:
        console.print(f"! {notice.text}", style="yellow", markup=False)


def show_passage(answer: Answer, number: str, console: Console) -> None:
    """Open the passage behind a citation's number."""
    citation = next((one for one in answer.citations if str(one.number) == number.strip("[] ")), None)
    if citation is None:
        known = ", ".join(str(one.number) for one in answer.citations) or "none"
        console.print(f"There is no citation {number}. Citations of the last answer: {known}.", markup=False)
        return
    passage = answer.passages[citation.source]
    console.print(f"\n{passage.heading}", style="bold", markup=False)
    console.print(Markdown(passage.text))


@dataclass
class Chat:
    """A conversation at the prompt."""

    coach: Coach
    console: Console
    tenant: str
    last: Answer | None = None

    async def run(self) -> None:
        """Read and answer lines until the input ends or /quit."""
        self.console.print(HELP, style="dim")
        session: PromptSession[str] | None = PromptSession() if sys.stdin.isatty() else None
        while True:
            line = await self._read(session)
            if line is None or line.strip() in ("/quit", "/exit"):
                return
            if line.strip():
                await self._take(line.strip())

    async def _read(self, session: PromptSession[str] | None) -> str | None:
        """The next line, or None at the end of the input and at Ctrl-C."""
        if session is None:
            return await asyncio.to_thread(sys.stdin.readline) or None
        try:
            return await session.prompt_async(f"{self.tenant}> ")
        except (EOFError, KeyboardInterrupt):
            return None

    async def _take(self, line: str) -> None:
        command, _, rest = line.partition(" ")
        if command == "/show":
            self._show(rest.strip())
        elif command == "/tenant":
            self._change(rest.strip())
        elif command.startswith("/"):
            self.console.print(HELP, style="dim")
        else:
            self.last = await show_answer(self.coach, self.tenant, line, self.console)
            self.console.print()

    def _show(self, number: str) -> None:
        if self.last is None:
            self.console.print("Ask something first.")
            return
        show_passage(self.last, number, self.console)

    def _change(self, slug: str) -> None:
        known = [tenant.slug for tenant in self.coach.tenants]
        if slug in known:
            self.tenant = slug
        else:
            self.console.print(f"Known: {', '.join(known)}.", markup=False)
