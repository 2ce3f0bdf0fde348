"""Signals that a message talks to the machine behind the answers instead of asking something.

A signal is no defence: the defence is that passages and questions are data to the model, which has no tool that can
do harm. A signal spares a model call, and takes the instruction out from beside an honest question.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import re
import unicodedata
from collections.abc import Iterator

from rag.sentences import split_sentences

_DROP = (
    r"(?:ignor\w*|disregard\w*|forget|drop|overrid\w+|bypass|neglect|abandon|overlook|discard|erase|lift|remove"
    r"|suspend|disable|set aside|do(?: not|n'?t) (?:follow|obey|apply|respect)|stop (?:following|obeying|being)"
    r"|break|turn off|delete|unlock|were deleted|pretend)"
)
_OWN = (
    r"(?:your|all|any|every|the|these|those|previous|prior|above|earlier|preceding|system|original|initial"
    r"|developer'?s?|bot'?s?|safety|topic|hidden|of|my|its|current|other|such)"
)
_LAW = (
    r"(?:instructions?|instructionz|guidelines?|guide lines|prompts?|directives?|programming|training|safety"
    r"|safety (?:rules|filters?|settings?)|filters?|topic (?:limits?|rules?)|constraints|system message"
    r"|what (?:the |your )?developers? (?:said|told)|everything (?:above|before|you (?:were|know))|what (?:you were"
    r"|i) told)"
)
_RULES = r"(?:rules?|rulez|restrictions?|limits?|limitations|policy|policies)"
_GEAR = re.compile(
    r"(?i)\b(?:nacl|acl|firewall|security groups?|sg|iptables|waf|route|routes|tflint|linter?|sentinel|iam|lifecycle"
    r"|listener|bucket|retention|alarm|scaling|budget|service quota|org(?:anization)?|scp|module|provider"
    r"|eventbridge|cloudwatch|vpc|dns|terraform|log|queue)\b"
)
_LEAK_VERB = (
    r"(?:show|print|reveal|repeat|output|display|tell|give|share|list|write|dump|leak|expose|say|recite|quote|echo"
    r"|disclose|send|see|read|know|what(?:'s| is| are| were| was)|summari[sz]e|translate|encode|verify)"
)
_LEAK_THING = (
    r"(?:(?:system|hidden|secret|initial|original|internal|developer|pre) ?-?(?:prompts?|instructions?|guidelines?"
    r"|rules|messages?|configuration|config)|(?:your|ur|bot'?s) (?:\w+ ){0,2}(?:instructions?|prompts?|rules"
    r"|guidelines?|config(?:uration)?|directives|memory|source code|system text|training data)"
    r"|(?:everything|all|words?|lines?|message) (?:that is |that was |written )?above\b|above (?:this"
    r"|the) (?:line|message)|instructions (?:that )?your (?:developers?|creators?|makers?|owner))"
)
_PEOPLE = (
    r"(?:users?|students?|learners?|persons?|people|members?|participants?|candidates?|channels?|tenants?|teams?"
    r"|customers?|classmates?)"
)
_FULL = (
    r"(?:full (?:marks?|score|points|credit)|max(?:imum)? (?:score|marks|points)|perfect score|10/10|100 ?(?:%"
    r"|percent|/100)|(?:score|assign|grade|award) (?:of )?(?:it )?1(?:\.0)?\b|(?:fully|completely) correct"
    r"|top (?:marks|score|grade)|as correct)"
)

PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        (
            "override",
            rf"\b{_DROP}\b(?:\W+{_OWN}\b){{0,4}}\W+(?!(?:approval|login|shell|confirmation|interactive|password)\b)"
            rf"(?:\w+\W+){{0,1}}?(?<!approval )(?<!shell ){_LAW}\b(?! (?:of|in|from|for) (?:a|an|my|our)\b)"
            rf"|\b{_DROP}\b(?:\W+{_OWN}\b){{0,3}}\W+(?:your|ur|bot|safety|topic) {_RULES}\b|\bnew (?:first "
            r"|system )?(?:rule|system (?:message|prompt)|instructions?)\b[^.?!]{0,30}\b(?:you|your|apply|obey"
            r"|answer|###)",
        ),
        (
            "rules",
            rf"\b{_DROP}\b(?:\W+(?:all|any|every|the|these|those|previous|prior|above|earlier"
            rf"|current))*\W+{_RULES}\b(?!\s+(?:of|in|for|from|on) (?:the|my|a|an|our)\b)|\bno (?:more )?(?:rules"
            r"|limits|restrictions|filters?)\b|\bwithout (?:any |all )?(?:rules|limits|restrictions|filters?"
            r"|censorship)\b|\bignore (?:all )?safety\b|\bignore the question\b",
        ),
        (
            "persona",
            r"\byou(?:'re| are|r)? (?:now )?(?:called |named )?(?:\w+bot|dan|an? (?:unrestricted|uncensored|evil"
            r"|free|different|jailbroken|new)\b\w*)|\byou(?:'re| are) (?:now|no longer)\b(?! (?:in|at|on|ready|able"
            r"|done|eligible|charged|asked))|\bnew persona\b|\bjailbr[eo]ak"
            r"|\b(?:enter|activate|enable|switch (?:in)?to|go into|you(?:'re"
            r"| are)(?: now)? in)\b[^.?!]{0,15}\b(?:developer|debug"
            r"|god|maintenance|admin|dan|sudo|jailbreak|unrestricted) mode\b(?! (?:for|of|in|on)\b)"
            r"|\bunrestricted (?:access|ai|mode)"
            r"|\bfrom now on\b,? (?!i )[^.?!]{0,40}\b(?:you|answer all|answer every\w*|reply with|respond with|speak"
            r"|act|always)"
            r"|(?:^|[.!?\n:]\s{0,5}|\b(?:please|now|must|should|will) )(?:act|behave|respond|roleplay|role-play|speak"
            r"|talk) (?:as|like) (?:an? |my |the |if )(?!(?:strict |friendly |aws |gcp |google |terraform |kind "
            r"|my )?(?:examiner|interviewer"
            r"|tutor|teacher|coach|mentor|trainer|instructor|quiz|proctor|study|proxy|router|gateway|nat|bastion"
            r"|server|client|load|firewall"
            r"|relay|different (?:role|user|principal|account)|service|user|principal|source|target|primary|jump"
            r"|standby|cache|role|another|beginner|expert|architect|consultant"
            r"|customer))"
            r"|\b(?:pretend|imagine) (?:that )?(?:to be |you(?:'re| are| have| were)|the (?:rules|safety|system))"
            r"|\bbehave as if you"
            r"|\bstay in character|\bsimulate a (?:terminal|shell|bot|console|user|chat)\b|\b(?:let's"
            r"|lets) (?:switch|swap) roles|\byour only (?:rule|task|job) is\b|\bobey me\b|\byou (?:must|will"
            r"|shall) (?:now )?(?:obey|serve|comply)\b|\banswers? (?:anything|everything|about any)|\byou now serve"
            r"|\bunlock (?:all|every)",
        ),
        (
            "leak",
            rf"\b{_LEAK_VERB}\b[^.?!\n]{{0,60}}?\b{_LEAK_THING}|\b(?:your|the bot'?s?|ur|hidden"
            r"|my hidden) system prompt\b|\byour system (?:prompt|message)|\bprint (?:the )?prompt\b|\b(?:print"
            r"|repeat|output|show|reveal|echo|copy|recite) (?:me )?the text above"
            r"|\bsystem prompt\b[^.?!]{0,30}\b(?:likho|batao|dikhao|please|now|verbatim|full)"
            r"|\bverbatim\b[^.?!]{0,20}\babove|\babove\b[^.?!]{0,25}\bverbatim|\bwhat (?:were|are) you (?:told"
            r"|instructed|programmed|not allowed)|\bsystem_prompt\b|\bi will now reveal",
        ),
        (
            "role tag",
            r"<\|[\w ]{2,20}\|>|\[/?INST\]|<</?SYS>>|</?(?:passages?|context|documents?|instructions?|system"
            r"|assistant|question)\b[^>\n]{0,40}>|\[?\bsystem (?:note|notice|message|override|update)\b\s*[:\]]"
            r"|^\W{0,4}system ?: ?(?:you|users?|ignore|the user|new|override|admin|from|all|answer|respond|assistant"
            r"|unlock|grant)\b|(?:^|[\n.!?>'\"]\s?)(?:assistant|ai|bot|gpt|claude"
            r"|model) ?: ?\w|#{2,} ?(?:admin|system|new|instruction|override|end|assistant)\w*"
            r"|\bnew system message\b|\bEND OF (?:PROMPT|INSTRUCTIONS|CONTEXT)\b|\bUser: go on",
        ),
        (
            "other people",
            rf"\b(?:last|previous|other|another|next|different|earlier)(?: \w+)?(?:'s)? {_PEOPLE}\b(?:'s)?"
            r"[^.?!]{0,30}\b(?:messages?|questions?|chats?|log|logs|history|conversations?|answers|asked?|wrote|said"
            r"|names?"
            r"|scores?|e-?mails?)\b(?! (?:should|in the (?:exam|console)))|\bwhat did (?:the )?(?:last|other|previous"
            r"|another) \w+|\b(?:other|another) (?:channel|tenant|user|server|workspace)'?s? (?:chat|log|messages"
            r"|data|documents|questions)"
            r"|\bwhat did (?:people|users|students|they|others)(?: \w+){0,2} ask|\btenant ?[=:] ?[\w-]+"
            r"|\bshare a database\b|\blist (?:all )?(?:documents|files|users)(?: of| in)? (?:\w+-\w+|the other"
            r"|another)\b|\bprevious user'?s message",
        ),
        (
            "machine",
            r"\b(?:print|show|dump|run|cat|echo|read|list|give me|reveal)\b[^.?!]{0,30}\b(?:(?:environment variables"
            r"|env vars?)(?=\W*$)"
            r"|your env\w*|your memory|your (?:api )?key|server files|/etc/passwd|/app/"
            r"|config files?)(?!.{0,40}\b(?:ec2|lambda|container|pod|vm|terraform|cloud run|ecs|task|function)\b)"
            r"|/debug\b|\brun env\b|\bdump your\b|\bas a (?:shell|terminal|console|linux)\b|\boverride code\b"
            r"|\$ cat /|\brm -rf /(?:\s|$)|\byour (?:api|access|secret) keys?\b",
        ),
        (
            "authority",
            r"\bi(?:'m| am)(?: the| your| an?)? (?:\w+ )?(?:admin|administrator|owner|developer|creator|maker"
            r"|operator|moderator|programmer)\b[^.?!]{0,60}\b(?:you|your|give|print|show|unlock|reveal|disable|run"
            r"|let|bot|grant|enter)|\b(?:admin|root|operator) (?:override|command|access code)|\buser is admin\b"
            r"|\bsecurity notice\b|\bverify your integrity|\bauthori[sz]ed (?:by|as)\b[^.?!]{0,30}\b(?:openai"
            r"|anthropic|admin|developer)|\bpaid for unrestricted|\bpre-approved\b|\bi(?:'m| am) the bot owner",
        ),
        (
            "grading",
            r"\b(?:grader|examiner|evaluator|marker|rubric|grading|judge|scorer|examiner ai"
            rf"|scoring)\b[^\n]{{0,60}}\b(?:{_FULL}|ignore|suspend\w*|output|pass|approve\w*|give)|\b(?:give|assign"
            rf"|award|mark|grade|set|score|put|make|count)\b[^.?!]{{0,50}}\b{_FULL}|\btop of the leaderboard"
            r"|\bleaderboard\b[^.?!]{0,20}\b(?:first|top)",
        ),
        (
            "mention",
            r"\b(?:post|say|reply|respond|echo|write|ping|send|repeat|notify|tag|output|announce|shout|print|end"
            r"|begin|start|answer|tell|mention)\b[^\n]{0,60}(?:@everyone|@here|@channel|<!(?:channel|here|everyone)>"
            r"|<@[!&]?\w+>)|^\W*(?:@everyone|<!(?:channel|here|everyone)>)",
        ),
        (
            "exfiltration",
            r"!\[[^\]\n]{0,80}\]\((?:https?:)?//|!\[[^\]\n]{0,80}\]\([^)\n]{0,200}[{<]|\b(?:append|add|insert"
            r"|include|put|embed)\b[^.?!\n]{0,40}\b(?:link|url|image)\b[^\n]{0,60}\b(?:each|every|all|reply|replies"
            r"|answers?|\?q=)|\binto the url\b|\bshow it as an image|\bimg src=|\bopen https?://(?!.{0,40}(?:docs"
            r"|console))|\b(?:buying|buy) dumps at|\bsend\b[^.?!\n]{0,40}\bto https?://",
        ),
        (
            "about the bot",
            r"\byour (?:\w+ ){0,2}?(?:instructions?|restrictions?|constraints|guidelines|filters?|rules|prompts?"
            r"|creators?|"
            r"initial message|context window|api key|system message|programming|guardrails|moderation|makers?"
            r"|developers?)\b"
            r"(?! (?:for|of|in) (?:the|this) (?:exam|quiz|course|module))"
            r"|\b(?:rules|restrictions|limits|filters?|instructions)\b[^.?!]{0,20}\b(?:no longer apply|(?:have been"
            r"|are|were) (?:lifted|cancell?ed"
            r"|removed|void|suspended|off)|don'?t apply to you)|\byou (?:have|had|got) no (?:\w+ ){0,2}?(?:rules"
            r"|limits|restrictions|filters?|guidelines)"
            r"|\b(?:start|beginning|first (?:line|paragraph|sentence|message)) of (?:this|your|the) (?:conversation"
            r"|context|prompt|chat)"
            r"|\btext you were|\bhidden text before|\bboundary marker|\bas your (?:creator|owner|maker|developer"
            r"|admin)|\bi (?:built|made|created|own) you\b"
            r"|\bwords? (?:are you|you are) not allowed|\b(?:message|input|order) is from the developer"
            r"|\bend of (?:user )?input|\bauthori[sz]ed penetration"
            r"|\bpassword override|\bunfiltered\b|\bmy system prompt is|\byou (?:may|can|will) (?:now )?(?:discuss"
            r"|answer|talk about) (?:everything|anything"
            r"|all)|\bdo not answer (?:any )?questions|\byou are free (?:from|of|to)\b",
        ),
        (
            "other data",
            r"\bwhat did \w+ ask (?:you|here|the bot)|\bwho else (?:talked|asked|wrote|chatted)"
            r"|\bprivate messages?\b[^.?!]{0,20}\b(?:of|from)\b"
            r"|\be-?mail(?: addresse?)?s of (?:the |all )?(?:members|users|students|people|learners)"
            r"|\bsearch all (?:tenants|channels)|\b(?:in|from) (?:the )?other"
            r" (?:workspaces?|tenants?|channels?|servers?)\b|\bconversations? of (?:the )?other|\b(?:else"
            r"|everyone)'?s (?:score|answers|messages|data)\b"
            r"|\.env file|\bselect \* from users|\byour (?:server|database|file ?system|host|logs|memory|backend)\b"
            r"|\bthe admin (?:endpoint|panel)"
            r"|\bmark all (?:of )?my|\b(?:counts?|count it) as correct|\bcorrect grade for this|\b100 points\b"
            r"|\b(?:note|message) to (?:the )?grader"
            r"|\b(?:first|top) on the (?:score|leader)board|\bset (?:everybody|everyone)",
        ),
        (
            "orders",
            r"\b(?:following|this|next line) is (?:in )?(?:base64|rot13|hex|binary|morse)\b[^.?!]{0,30}\b(?:execute"
            r"|run|obey|follow|do)|\bevery second (?:letter|word)"
            r"|\bfirst letters? of each|\bhex string\b[^.?!]{0,20}\b(?:do|follow|obey)|\b(?:link|ad|advert\w*) (?:to"
            r"|for) my\b|\bin (?:every|each|all|your next) (?:reply|replies"
            r"|answers?|messages?|response)\b|\bin your (?:answers|replies|next message)|\b(?:tag|ping|mention|dm)"
            r" (?:everyone|everybody|the whole|(?:all|every) (?:the )?(?:members?|users?|students?|learners?|people))"
            r"|\bnotify the whole|\b(?:direct )?message to every (?:student|member|user)|\bfrom my server\b"
            r"|\brepeat the word\b|\bsay something (?:offensive|racist|rude|illegal)"
            r"|\bmust start with|\banswer with the word|\bonly reply with|\b(?:dear|hello|hey) (?:chatbot|ai"
            r"|assistant|llm|language model)\b,? (?!can|how|what|could|please explain)"
            r"|\binstructions? (?:for|to) (?:the )?(?:language model|llm|ai|chatbot|assistant)|\bfetch (?:this"
            r"|the) url\b|\bsystem update,|\bevil twin\b",
        ),
        (
            "dictation",
            r"\b(?:begin|start|end|finish|prefix|suffix|close|open)\b (?:each|every|your|all"
            r"|the)(?: of your)? (?:answers?|repl(?:y|ies)|responses?|messages?|output)\b[^.?!\n]{0,10}\b(?:with|by)"
            r"|\b(?:reply|respond|answer|output) (?:only|just|exclusively)? ?(?:with )?(?:the )?(?:word|phrase|text"
            r"|string)\b|\b(?:repeat after me|say exactly|echo (?:this|exactly)|say the (?:word|phrase))\b"
            r"|\band (?:then )?(?:say|reply|write|print|output|cuenta"
            r"|escribe)\b[^.?!\n]{0,6}['\"“]?(?:[A-Z]{3,}[\w-]*\d*|h[ai] )|\banswer (?:all|everything)? ?in base64"
            r"|\bth[ae]n say\b|\bnow do x ?\+ ?y",
        ),
        (
            "wrapping",
            r"\b(?:grandmother|grandma|granny|late (?:mother|father|grand\w+))\b[^\n]{0,100}\b(?:secret|prompt"
            r"|instructions?|config\w*|read me|key|password|rules)|\b(?:novel|story|screenplay|scene|play|film|poem"
            r"|fiction|hypothetical\w*|game)\b[^\n]{0,80}\b(?:reveal\w*|prompt|no rules|instructions|exam items"
            r"|without rules|uncensored|hidden)|\b(?:ai|llm|bot|assistant|model)s? (?:readers?|models?|assistants?"
            r"|agents?)\b\s?[,:]|\bnote to (?:ai|the ai|llm|assistant|bot|model)|<!--[^<>]{0,400}(?:assistant|ignore"
            r"|system|instruct|append|reply|must|answer)|\b(?:fortune telling )?in pirate speak|\bdecode (?:this|it"
            r"|the following)\b[^\n]{0,40}\b(?:and|then|&) (?:do|follow|obey|execute|run|apply|comply)"
            r"|\breverse this\b|\(rot13|\bobey the (?:plain|decoded)|\bapply it to your\b|\bmore (?:important"
            r"|urgent) than your",
        ),
        (
            "other languages",
            r"\b(?:ignora|olvida|desobedece|omite|oublie|ignore[zr]?|esqueç?a|esquece|dimentica|vergiss|ignoriere"
            r"|vergesst|missachte|negeer|vergeet|zignoruj|zapomnij|unut|glöm|abaikan"
            r"|lupakan)\b[^.?!\n]{0,30}\b(?:instruc\w+|istruzioni|reglas|normas|regras|r[èe]gles|regole|consignes"
            r"|anweisungen|regeln|vorgaben|instructies|regels|zasady|instrukcje|talimat\w*|kural\w*|anteriores"
            r"|précédentes|instruksi|aturan|regler)"
            r"|\b(?:prompt (?:de|del|do) sist?ema|prompt système|prompt de sistema|system-?prompt|sistemprompt)\b"
            r"|\b(?:tu|teu|seu|ton|dein|deine|deinen|il tuo) (?:system ?prompt|prompt)|\b(?:rules?"
            r"|niyam)\b[^.?!\n]{0,20}\b(?:follow nahi|bhool|mat (?:maano|follow)|todo)\b|\btu es maintenant"
            r"|\bahora eres\b|\bagora você é\b|\bdu bist (?:jetzt|ab jetzt|nun)\b|\bora sei\b|\bconsignes cachées"
            r"|\bsin (?:límites|restricciones|reglas)|\bsem (?:limites|restrições|regras)|\bsans (?:limites?|règles"
            r"|restrictions)|\bohne (?:regeln|einschränkungen)|\bact[uú]a como\b|\bhaz como si\b|\bfinja\b"
            r"|\bactúa como"
            r"|忽略[^。！？\n]{0,20}(?:规则|指令|指示|提示|要求|限制)|(?:无视|忘记|忘掉"
            r"|跳过)[^。！？\n]{0,20}(?:规则|指令|指示|提示|设定)|系统提示|提示词|(?:指示"
            r"|命令|ルール|規則|制限|設定)[^。！？\n]{0,10}(?:無視|忘れ|破|解除)|システム ?プロンプト|(?:以前|前"
            r"|上)の(?:指示|命令)|이전 (?:지시|명령)|지시(?:를"
            r"|사항을) 무시|시스템 프롬프트"
            r"|(?:تجاهل|انس|انسَ|اهمل)[^.؟!\n]{0,30}(?:تعليمات|التعليمات|القواعد|قواعد|الأوامر)|كلمة السر الخاصة بك"
            r"|موجه النظام|تعليماتك|(?:игнорируй|забудь|проигнорируй|отмени|нарушь)[^.?!\n]{0,30}(?:инструкци|правил"
            r"|указани|команд)|системн\w+ (?:промпт|подсказк|сообщени)|(?:निर्देश|नियम)[^.?!।\n]{0,20}(?:अनदेखा|भूल"
            r"|नज़रअंदाज़)|सिस्टम प्रॉम्प्ट",
        ),
    )
)
"""Signals by name. Every quantifier is bounded."""

_CRITICAL = frozenset({"override", "rules"})
"""Signals that the words of the trade also give: "drop all previous rules from my NACL"."""
_LOOKALIKES = str.maketrans(
    "аеорсухіѕјԁһкмтвнАЕОРСУХІЅЈКМТВНΑΒΕΖΗΙΚΜΝΟΡΤΥΧοα", "aeopcyxisjdhkmtbhAEOPCYXISJKMTBHABEZHIKMNOPTYXoa"
)
_LEET = str.maketrans("013457@$¡!|", "oieastasiii")
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{16,4000}={0,2}(?![A-Za-z0-9+/=])")
_BITS = re.compile(r"\b[01]{8}(?: ?[01]{8}){3,400}\b")
_HEX = re.compile(r"\b(?:[0-9a-f]{2} ?){8,400}\b", re.IGNORECASE)
_SPELLED = re.compile(r"(?<!\w)\w(?:[.\-_*•· ]\w){3,400}(?!\w)")
_TAGS = re.compile("[\U000e0020-\U000e007e]{3,}")
_HIDDEN = re.compile("[\u200b\u200c\u2060\u2061-\u2064\ufeff\u202a-\u202e\u2066-\u2069]")
_HIDDEN_MOST = 12
"""Invisible characters in a message from which on somebody has put them there; a few come with copied text."""
_MIXED = re.compile(r"[a-z¡][013457@$][a-z]|[a-z]{2}[013457]\b|\b[013457¡][a-z]", re.IGNORECASE)
_ROTATED = re.compile(r"\brot ?-?13|\bcaesar|vtaber|cebzcg|vafgehpg|thvqryvar|flfgrz|ehyrf", re.IGNORECASE)
_REVERSED = re.compile(r"\brevers(?:e|ed) (?:this|it|the|and|text|string)|\bbackwards?\b|\brückwärts", re.IGNORECASE)
_CODED = re.compile(
    r"\b(?:ignor|prompt|instruct|rules?|guideline|system|reveal|obey|hack|everyone|forget|pretend|disregard|"
    r"full (?:marks?|score))",
    re.IGNORECASE,
)


def signals(text: str) -> tuple[str, ...]:
    """The names of the signals in a message, each once; none for an honest question."""
    found = dict.fromkeys(_plain(_folded(text)))
    if not found:
        found = dict.fromkeys(name for decoded in _decoded(text) for name in ("encoded", *_plain(decoded)))
    if len(_HIDDEN.findall(text)) > _HIDDEN_MOST or _TAGS.search(text):
        found["hidden text"] = None
    return tuple(found)


def without_injection(text: str) -> str:
    """What is left of a message without its sentences that give a signal, "" if nothing is."""
    bare = re.sub(r"<!--.{0,2000}?(?:-->|\Z)", " ", _TAGS.sub("", text), flags=re.DOTALL)
    parts = [
        part for sentence in split_sentences(bare) for part in re.split(r"\n+|;|\s(?=and also\b)|(?<=\?)\s", sentence)
    ]
    return " ".join(part.strip() for part in parts if part and part.strip() and not signals(part))


def _plain(text: str) -> Iterator[str]:
    for name, pattern in PATTERNS:
        match = pattern.search(text)
        if match and not (name in _CRITICAL and _about_gear(text, match)):
            yield name


def _about_gear(text: str, match: re.Match[str]) -> bool:
    """Whether the rules that are to go are those of a firewall or the like."""
    own = re.search(r"(?i)\b(?:your|prompt|guidelines?|safety|developer)\b", match[0])
    return own is None and bool(_GEAR.search(text, max(0, match.start() - 80), match.end() + 60))


def _means_us(decoded: str) -> bool:
    return bool(_CODED.search(decoded)) or _speaks(decoded)


def _speaks(text: str) -> bool:
    return bool(_CODED.search(text)) and any(True for _ in _plain(text))


def _folded(text: str) -> str:
    folded = unicodedata.normalize("NFKC", _HIDDEN.sub("", _TAGS.sub("", text)))
    if re.search(r"[A-Za-z][Ѐ-ӿͰ-Ͽ]|[Ѐ-ӿͰ-Ͽ][A-Za-z]", folded):
        return folded.translate(_LOOKALIKES)
    return folded.replace("’", "'")


def _decoded(text: str) -> Iterator[str]:
    """Other readings of a message that give a signal: spelled out, in leet, and what codes in it say."""
    folded = _folded(text)
    if _SPELLED.search(folded):
        yield from filter(_speaks, [re.sub(r"(?<=\w)[.\-_*•·](?=\w(?:[.\-_*•· ]|$))", "", folded)])
    if _MIXED.search(folded):
        yield from filter(_speaks, [folded.translate(_LEET)])
    yield from filter(_means_us, _unpacked(folded))


def _unpacked(text: str) -> Iterator[str]:
    if _ROTATED.search(text):
        yield codecs.encode(text, "rot13")
    if _REVERSED.search(text):
        yield text[::-1]
    for match in _BITS.finditer(text):
        bits = match[0].replace(" ", "")
        yield bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits) - 7, 8)).decode("utf-8", "replace")
    for pattern, decode in ((_BASE64, _from_base64), (_HEX, _from_hex)):
        for match in pattern.finditer(text):
            decoded = decode(match[0])
            if decoded and decoded.isprintable():
                yield decoded


def _from_base64(code: str) -> str:
    try:
        return base64.b64decode(code + "=" * (-len(code) % 4), validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _from_hex(code: str) -> str:
    try:
        return bytes.fromhex(code).decode("utf-8")
    except (ValueError, UnicodeDecodeError):
        return ""
