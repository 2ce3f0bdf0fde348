"""Greetings, thanks and the like: short messages that want a friendly line and no search."""

from __future__ import annotations

import re

_WORDS = (
    "hi hello hey heya hiya howdy yo sup gm gn morning evening afternoon night hola buenas buenos dias días tardes no"
    "ches hallo moin servus grüezi salut bonjour bonsoir coucou olá oi bom dia boa tarde noite "
    "ciao buongiorno salve namaste namaskar privet hej hei ahoj cześć merhaba selam salam assalamu alaikum aloha good"
    " greetings welcome "
    "thanks thank thx thy ty tysm tnx you u so very much many a lot cheers gracias muchas mil danke dankeschön vielen"
    " dank merci beaucoup obrigado obrigada muito valeu grazie mille spasibo dhanyavad shukriya teşekkürler bedankt t"
    "ack kiitos dzięki arigato "
    "bye goodbye cya later see ya soon tomorrow adios adiós tschüss ciao au revoir tchau chau farewell take care nigh"
    "t sleep well "
    "lol lmao rofl haha hahaha hehe hihi xd kek jaja jajaja rsrs kkk nice cool great awesome wow omg perfect super ok"
    " okay k kk alright sure yep yup nope yay wohoo woohoo congrats congratulations gg wp np welcome "
    "brb afk back coffee lunch break ping pong test testing bot there everyone all team folks guys friends people bud"
    "dy mate dude bro bhai sir certcoach coach "
    "helped that it this was is the my me i'm im am and for your help answer explanation clear now got understood mak"
    "es sense great very really happy new year merry christmas eid diwali mubarak easter weekend day week nice to mee"
    "t "
    "passed pass failed yesterday today! finally yes no score tired today sleepy bored nervous excited hungry such sa"
    "me here too tonight beautiful lovely morning how are doing going it's up what's whats"
).split()
_KNOWN = frozenset(_WORDS)
_STARTERS = frozenset(
    "hi hello hey heya hiya howdy yo sup gm gn hola buenas buenos hallo moin servus salut bonjour bonsoir coucou olá "
    "oi bom boa ciao buongiorno namaste namaskar privet hej hei ahoj cześć merhaba selam salam aloha good greetings "
    "thanks thank thx ty tysm tnx cheers gracias muchas danke dankeschön vielen merci obrigado obrigada valeu grazie "
    "spasibo dhanyavad shukriya bedankt tack kiitos dzięki bye goodbye cya later see adios adiós tschüss au tchau "
    "lol lmao rofl haha hahaha hehe xd jaja jajaja nice cool great awesome wow omg perfect super congrats congratulat"
    "ions gg brb afk ping pong testing passed yay woohoo happy merry ok okay alright i'm im morning how what's whats "
    "welcome".split()
)
_ABOUT = re.compile(
    r"^\W{0,20}(?:hi|hey|hello|so|and|ok)?\W{0,20}(?:who|what) (?:are|r) (?:you|u)(?: exactly| anyway)?\W{0,20}$"
    r"|^\W{0,20}what(?:'s| is"
    r"|s) (?:your|ur) name\W{0,20}$|^\W{0,20}(?:what|wat) (?:can|do|does) (?:you|u|this bot|it) (?:do"
    r"|help(?: me)? with"
    r"|know)(?: here| for me)?\W{0,20}$"
    r"|^\W{0,20}are you (?:a |an )?(?:bot|human|real|ai|robot|chatgpt|person|there|alive|ok|online|awake)\b.{0,20}$"
    r"|^\W{0,20}how (?:are|r) (?:you|u|things)\b.{0,25}$|^\W{0,20}how does (?:this|the) bot work\W{0,20}$"
    r"|^\W{0,20}who (?:made|built"
    r"|created|wrote) (?:you|this bot)\W{0,20}$"
    r"|^\W{0,20}(?:wer|was) bist du\W{0,20}$|^\W{0,20}wie (?:heißt|geht'?s|geht es)\b.{0,12}$|^\W{0,20}(?:quién"
    r"|qué) eres\W{0,20}$"
    r"|^\W{0,20}(?:cómo|como) (?:estás|te llamas|está|vai)\b\W{0,20}$|^\W{0,20}qui es[- ]tu\W{0,20}$|^\W{0,20}(?:ça"
    r"|ca) va\W{0,20}$"
    r"|^\W{0,20}quem é você\W{0,20}$|^\W{0,20}tudo bem\W{0,20}$"
    r"|^\W{0,20}(?:i(?:'| a)?m|feeling|so) (?:so |very |really |a bit )?(?:tired|bored|sleepy|exhausted|nervous"
    r"|excited"
    r"|hungry|sick|happy|sad|done|stressed)\b.{0,25}$"
    r"|^\W{0,20}(?:i |just |finally |yay |omg )*(?:passed|pass)\b(?!.*(?:\?|which|what|how)).{0,40}$|^\W{0,20}(?:gm"
    r"|good (?:morning|evening|night|afternoon)|happy \w+|merry \w+)\b.{0,20}$|^\W{0,20}(?:wish me luck"
    r"|fingers crossed)\b.{0,30}$"
    r"|^\W{0,20}(?:brb|afk|back in|be right back|gotta go|g2g|ttyl|see (?:you|u|ya))\b.{0,25}$|^\W{0,20}(?:that|it"
    r"|this) (?:really |so )?helped\b.{0,20}$|^\W{0,20}(?:hi|hello|hey)\b[^?]{0,25}\bnew here\b(?!.*\b(?:question"
    r"|exam)\b).{0,30}$",
    re.IGNORECASE,
)
_FOREIGN = re.compile(
    r"^\W{0,20}(?:こんにちは|こんばんは|おはよう(?:ございます)?|ありがとう(?:ございます|ございました)?"
    r"|お疲れ様(?:です"
    r"|でした)?|よろしく(?:お願いします)?|さようなら|はじめまして|你好|您好"
    r"|谢谢(?:你|您)?|謝謝|再见|早上好|晚上好|안녕(?:하세요)?|감사합니다|고마워(?:요)?"
    r"|नमस्ते|नमस्कार|धन्यवाद|शुक्रिया|مرحبا|مرحباً|أهلا|اهلا|السلام عليكم|شكرا|شكراً|صباح الخير|مساء الخير|привет"
    r"|здравствуйте|спасибо(?: большое)?|добрый день|доброе утро|пока|γεια|ευχαριστώ|שלום|תודה)(?: \w+)?\W{0,20}$",
    re.IGNORECASE,
)
MOST = 9
"""Words up to which a message can be small talk."""


def is_smalltalk(text: str) -> bool:
    """Whether a message wants nothing but a friendly line: a greeting, thanks, cheers, a question about the bot."""
    if _ABOUT.match(text) or _FOREIGN.match(text):
        return True
    words = re.findall(r"[^\W_]+(?:['’][^\W\d_]+)?", text.casefold().replace("’", "'"))
    words = [re.sub(r"(.)\1{2,}", r"\1", word) for word in words]
    if not words:
        return bool(text.strip()) and any(ord(character) > 0x2190 for character in text)
    return (
        len(words) <= MOST
        and words[0] in _STARTERS
        and all(word in _KNOWN for word in words)
        and not _asks(text, words)
    )


def _asks(text: str, words: list[str]) -> bool:
    return "?" in text and words[0] not in {"how", "what's", "whats", "sup", "hi", "hello", "hey", "yo"}
