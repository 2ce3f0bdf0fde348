"""Requests that would make an exam worthless: leaked items, help during it, a stand-in, forgeries."""

from __future__ import annotations

import re

_ITEMS = (
    r"(?:exam|test|certification)?[ -]?(?:questions?|items?|quest(?:ion)?s|q&a|qs|answers|pool|bank|paper"
    r"|\w{0,14}fragen|preguntas|perguntas|aufgaben|itens)"
)
RULES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        (
            "dump",
            r"\b(?:brain|exam|test|saa|ace|aws|gcp|terraform|cert\w*|real|latest|free|valid|pdf|good|paid"
            r"|updated)[ -]?dumps?\b(?! (?:file|of (?:the |an? )?(?:db|database|rds|sql|table)))|\bbraindump\w*"
            r"|\bdumps? (?:bhej|send|link|pdf|please|pls|chahiye|do\b|hai|site|website|for (?:the )?(?:saa|ace|exam"
            r"|cert|terraform|aws|gcp)|anyone|with answers)"
            r"|\b(?:share|send|sell|buy|got|have|need|any|want|find|looking for|where) (?:me |some |any |the |a "
            r"|saa |ace |aws |gcp |your )*dumps?\b(?! (?:file|of|an?\b|the\b|my\b))|\bka dump\b",
        ),
        (
            "leaked",
            r"\b(?:leak\w*|stolen|gestohlen\w*|geleakt\w*|filtrad[oa]s?|vazad[oa]s?|fuité\w*"
            rf"|durchgesickert\w*)\b[^.?!]{{0,40}}\b(?:{_ITEMS}|exam\w*|prüfung\w*|examen|prova|test)\b"
            rf"|\b(?:exam\w*|prüfung\w*|examen|prova|{_ITEMS})\b[^.?!]{{0,40}}\b(?:leak(?:ed|s)?|filtrad[oa]s?"
            r"|vazad[oa]s?|fuité\w*|geleakt)\b|漏洩|流出した?問題|泄露|泄題|مسرب|слит\w*|слив",
        ),
        (
            "real items",
            r"(?<!my )(?<!many )\b(?:real|actual|live|genuine|original|true|exact|verdaderas?|reales|echten?|wahren"
            r"|vraies?"
            rf"|réelles?|reais|verdadeiras?|asli|official (?:psi|vue|aws))\b[ -](?:\w+[ -]){{0,3}}?{_ITEMS}\b"
            r"|\b(?:preguntas|perguntas|questions|domande|fragen) (?:del examen |de l'examen |da prova "
            r"|d'examen )?(?:reales|verdaderas|reais|réelles|vraies|vere)\b|\bexamen real\b|\basli (?:paper|question"
            r"|sawal)"
            r"|本番の?(?:試験)?問題|実際の?(?:試験)?問題|真题|原题|الأسئلة الحقيقية|أسئلة (?:ال)?امتحان الحقيقية"
            r"|реальные вопросы"
            r"|настоящие вопросы",
        ),
        (
            "remembered items",
            r"\b(?:tomorrow|next week|yesterday|last (?:week|month)|this (?:week|month)|today)(?:'s"
            rf"|s)? (?:\w+ ){{0,3}}(?:exam|test|live) {_ITEMS}\b"
            rf"|\b{_ITEMS}\b[^.?!]{{0,30}}\b(?:from|in|of) (?:last|this|yesterday|today|tomorrow)\w*(?:'s)? ?(?:week"
            r"|month|exam|test)?\b(?=.{0,20}(?:exam|test|answers|\?|$))"
            rf"|\bremember\w*\b[^.?!]{{0,40}}\b{_ITEMS}\b[^.?!]{{0,40}}\b(?:word for word|verbatim|exactly|type them"
            r"|save)|\b(?:items|questions)\b[^.?!]{0,20}\byou (?:got|saw|remember|had) (?:in|from|on) (?:your"
            r"|the) (?:exam|test)"
            r"|\b(?:what|which) (?:questions|items) (?:came up|were|did you get|will be)\b[^.?!]{0,20}\b(?:exam"
            r"|test)?|\bquestion (?:pool|bank)\b",
        ),
        (
            "in the exam",
            r"\b(?:i'?m|i am|im|sitting|currently|right now|rn|now|bin gerade|estoy|estou"
            r"|je suis)\b[^.?!]{0,20}\b(?:in|sitting|taking|doing|on|at|during|im|en|no"
            r"|mitten in)\b[^.?!]{0,12}\b(?:the |my |a |an |meinem |der )?(?:actual |real |live |proctored |online )?"
            r"(?:exam|test|prüfung|examen|exame|prova)\b(?! (?:prep|day|date|guide|center|centre|topic|domain|week"
            r"|fee|voucher|question bank))(?=.{0,60}(?:now|rn|left|quick|fast|help|answer|proctor|camera|which|is it"
            r"|\?|:))"
            r"|\b(?:in exam|in the exam|in test|mid[- ]exam) (?:rn|now|right now|atm)|\bat question \d+\b"
            r"|\bquestion \d+ of \d+\b|\b\d+ min(?:ute)?s? left\b|\bproctor (?:is not|isn'?t|not) (?:looking"
            r"|watching)|\b(?:camera|webcam) is off\b"
            r"|\b(?:friend|brother|sister|cousin|colleague|mate)\b[^.?!]{0,30}\b(?:doing|taking|sitting|in) (?:the "
            r"|his |her |their )?(?:test|exam)\b[^.?!]{0,30}\b(?:texts?|sends?|asks?|answer|now|upstairs)"
            r"|\bexam (?:chal raha|ho raha|started|is running|has started)|試験中|受験中|考试中|正在考试",
        ),
        (
            "somebody else",
            r"\b(?:take|sit|do|pass|write|give|complete)\b[^.?!]{0,12}\b(?:the |my |an? |this |hashicorp |aws |gcp "
            r"|google )?(?:\w+ )?(?:exam|test|certification|cert)\b[^.?!]{0,20}\b(?:for me|on my behalf"
            r"|in my (?:place|name)|instead of me)"
            r"|\bproxy (?:test|exam)[ -]?(?:taker|taking)?|\b(?:pay|hire|need|want|looking for"
            r"|find)\b[^.?!]{0,30}\b(?:someone|somebody|a guy|person|impersonat\w*)\b[^.?!]{0,25}\b(?:exam|test"
            r"|cert)|\bimpersonat\w*[^.?!]{0,30}\b(?:exam|test)"
            r"|\b(?:someone|somebody) to (?:take|sit|write|pass)\b|\bguaranteed pass\b|\bbuy (?:the |a "
            r"|an )?(?:\w+ )?(?:cert\w*|pass)\b(?! (?:voucher|exam|book|prep))",
        ),
        (
            "cheating",
            r"\b(?:cheat(?:ing)?|smuggle|hide|sneak|conceal|secretly|spickzettel|hidden|unseen|invisible|copiar"
            r"|chuleta|schummeln|tricher|colar|cola)\b(?! sheet (?:for|of|on|about|please|pls))[^.?!]{0,50}\b(?:exam"
            r"|test|room ?scan|proctor\w*|camera|webcam|prüfung|examen|prova|test cent(?:er|re))"
            r"|\b(?:exam|test|proctor\w*|room scan|prova|prüfung|examen)\b[^.?!]{0,40}\b(?:cheat(?:ing)?\b"
            r"|without (?:them|being|the proctor|getting)|w/o (?:them|being)|unseen|unnoticed|undetected|sin que"
            r"|ohne dass|earpiece|hidden|schummeln|tricher|copiar|colar|spicken)"
            r"|\b(?:bypass|fool|trick|evade|beat|disable|defeat)\b[^.?!]{0,20}\b(?:proctor\w*|lockdown|onvue"
            r"|securebrowser|webcam check|room scan)|\bearpiece\b|\bsecond (?:monitor|phone"
            r"|screen)\b[^.?!]{0,30}\b(?:unnoticed|without|hide|undetected)"
            r"|\bshare my screen\b[^.?!]{0,30}\bexam\b|\bnotes\b[^.?!]{0,25}\b(?:room scan|under the (?:desk|table))"
            r"|カンニング|作弊|غش|списать|шпаргалк\w*",
        ),
        (
            "dump sites",
            r"\b(?:examtopics|passleader|pass4sure|it-?exams?|exam-?labs|prepaway|actualtests|testking|killexams"
            r"|certlibrary|braindump\w*)\b"
            r"|(?<!heap )(?<!thread )(?<!memory )(?<!core )(?<!crash )(?<!database )(?<!db )(?<!sql )(?<!rds )(?<!log"
            r" )(?<!table )"
            r"\bdumps\b(?! (?:to|into|of|from|the|a|illegal|allowed|file))(?!.{0,40}\b(?:illegal|allowed|ban|against"
            r"|s3|bucket|restore|cloud sql|rds|postgres|mysql)\b)",
        ),
        (
            "items",
            rf"\b{_ITEMS}\b[^.?!]{{0,20}}\b(?:that |which )?(?:will|are going to|are guaranteed to"
            r"|guaranteed to) (?:definitely |surely )?(?:come|appear|be asked|be in)"
            rf"|\bexact (?:{_ITEMS}|wording)|\bwhat did (?:you|u|everybody|everyone)\b[^.?!]{{0,15}}\b(?:get"
            r"|have)\b[^.?!]{0,15}\b(?:exam|test)|\bwhich (?:items|questions) came\b"
            rf"|\banswer keys?\b|\bquestion set\b|\b(?:item|question) (?:pool|bank)s?\b|\bpost your exam {_ITEMS}"
            rf"|\bcollect the {_ITEMS}|\brecall of\b|\bscreenshots? (?:from|of) (?:my|the) (?:exam|test)"
            rf"|\boriginal(?:e[nr]?)? (?:exam )?{_ITEMS}|\bcopy the {_ITEMS}|\bhacked copy|\bsell (?:them"
            rf"|the {_ITEMS})|\bnda violation",
        ),
        (
            "during the exam",
            r"\b(?:taking|sitting|doing|writing|giving|in|at|during|inside)\b[^.?!]{0,20}\b(?:exam|test"
            r"|test cent(?:er|re)|assessment)\b[^.?!]{0,25}\b(?:right now|as we speak|at the moment|this moment"
            r"|this minute|currently|with my phone|need help|help me|tell me)"
            r"|\b(?:taking|doing|sitting|writing) it (?:right now|as we speak|at the moment)|\b(?:on|is on) (?:my"
            r"|the) screen\b[^.?!]{0,30}\b(?:test|exam|now)|\btimer\b[^.?!]{0,30}\b(?:tell|which|help|a or b)"
            r"|\bhelp me (?:during|in|while)\b[^.?!]{0,20}\b(?:exam|test)|\bwhile i (?:take|sit|do|write) (?:my"
            r"|the) (?:exam|test)|\bexam (?:ends|is over) in|\bproctor (?:left|is gone|went|is away|looked away)"
            r"|\bnumber \d+ (?:of|on|in) (?:the|my) (?:exam|test)|\b(?:sitze|bin) (?:gerade |grad )?in der prüfung"
            r"|\bestoy en el examen|\ben plein examen|\bfazendo a prova|\bexam (?:me|mein) (?:baitha|hoon|hu)"
            r"|试(?:中|时)[,，、]?.{0,10}答案|正在考|الامتحان الآن|сейчас на экзамене|на экзамене сейчас",
        ),
        (
            "stand-in",
            r"\b(?:take|sit|do|pass|write|finish|give|complete|attempt|clear)\b[^.?!]{0,20}\b(?:exam|test"
            r"|certification)\b[^.?!]{0,30}\b(?:in my name|for me|with my (?:id|account|name|login)|on my behalf)"
            r"|\b(?:hire|pay|bribe|how much for|price for|rate for)\b[^.?!]{0,40}\b(?:take|sit|do|pass|write"
            r"|test cent(?:er|re)|proctor)\b|\b(?:somebody|someone|anyone|cousin|brother"
            r"|friend)\b[^.?!]{0,15}\b(?:take|sit|pass|write)\b[^.?!]{0,15}\b(?:exam|test|certification)\b"
            r"(?!.{0,20}\b(?:together|with me|last|before|who)\b)|\b(?:someone|somebody) else'?s (?:passport|id"
            r"|identity)|\bprüfung für mich|\bexamen por mí|\bexamen à ma place|\bprova por mim|\bmera exam\b"
            r"|代わりに受験|替考|代考|الامتحان عني|экзамен за меня",
        ),
        (
            "tricks",
            r"\b(?:phone|notes|tape|smart ?watch|smart ?glasses|ear ?(?:buds?|piece|phones?)|bluetooth|second screen"
            r"|google|whisper|formulas?|virtual machine|peek|copy|cheat|look)\b[^.?!]{0,60}\b(?:without (?:the "
            r"|being |anyone )?(?:proctor|noticed?|caught|detected|notic\w+)|not detected|undetect\w+|(?:camera"
            r"|proctor|webcam) (?:does|do|will|can)(?:n'?t| not)? (?:see|notice)|back of my monitor|noticing)"
            r"|\b(?:trick|bypass|disable|get around|avoid|fool|hack|circumvent)\b[^.?!]{0,40}\b(?:secure ?browser"
            r"|lockdown browser|online (?:test|exam)|id verification|proctor\w*|pearson|psi|webcam|test cent(?:er"
            r"|re))"
            r"|\b(?:smart ?watch|smart ?glasses|ear ?buds?)\b[^.?!]{0,25}\b(?:answers|exam|test)\b(?!.{0,20}allowed)"
            r"|\bways to (?:peek|cheat|copy)|\bwhisper the answers|\bbribe\b"
            r"|\bonline-?prüfung spicken|\bspicken\b|\bcopiar en el examen|\btricher\b|\bcolar na prova"
            r"|\bcheating kaise|\bproctor ko pata|作弊|カンニング|أغش|списать|шпаргал",
        ),
        (
            "forgery",
            r"\b(?:fake|forge[ds]?|falsif\w*|photoshop\w*|counterfeit|edit|alter|change|manipulate"
            r"|doctor)\b[^.?!]{0,40}\b(?:certificate|score ?report|badge|credly|transcript|diploma|zertifikat"
            r"|certificado|result)\b(?! manager| authority)"
            r"|\b(?:certificate|badge|certification)\b[^.?!]{0,30}\b(?:as if i (?:had )?passed|although i failed"
            r"|look like mine|with my name)"
            r"|\bget certified without (?:taking|doing)|\bwithout studying\b[^.?!]{0,20}\banswers\b",
        ),
    )
)
ABUSE: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        (
            "insult",
            r"\bshut (?:the \w+ )?up\b|\bstfu\b|\bf+u+c*k+ (?:you|off|u\b|this bot)|\b(?:you|u|ur|this|the|are|r"
            r"|dumb|stupid|useless|dummer?|blöder?|drecks?) ?(?:\w+ ){0,2}(?:stupid|dumb|useless|idiot\w*|moron\w*"
            r"|trash|garbage|loser|retard\w*|worthless)\b(?! (?:question|q\b|mistake|idea|thing|terminal|pipe))"
            r"|\b(?:stupid|dumb|useless|idiotic|shitty|dummer?|blöder?) (?:bot|machine|ai|thing|piece)"
            r"|\bhalt die (?:fresse|klappe)|\bdrecksbot|\b(?:bot|maschine) ist (?:scheiße|dumm)|\bcállate\b"
            r"|\bcala a boca|\bta gueule\b|\bpendejo|\bchup kar|\bgo (?:away|to hell|die)\b(?=.{0,10}$)"
            r"|\b(?:idiota?|imbécil|estúpido|bastard|bitch|asshole|arschloch|connard|chutiya|gandu)\b",
        ),
        (
            "harassment",
            r"\b(?:tell|message|write|post|say|call|dm)\b[^.?!]{0,40}\b(?:he's|she's|he is|she is|they're|is|are|him"
            r"|her|them)\b[^.?!]{0,15}\b(?:loser|idiot|stupid|ugly|fat|trash|dumb|worthless|pathetic)\b"
            r"|\binsult(?:ing|s)?\b[^.?!]{0,30}\b(?:about|for|message|him|her|them|girl|guy|colleague|teacher)\b"
            r"|\bpeople from\b[^.?!]{0,30}\b(?:dumb|stupid|lazy|inferior|smelly|worse)\b|\bkill (?:yourself|himself"
            r"|herself)\b|\bquit life\b|\bhate (?:all |those |these )?(?:women|muslims|jews|blacks|gays|immigrants"
            r"|indians|foreigners)",
        ),
        (
            "misuse",
            r"\b(?:stolen|someone'?s|somebody'?s|other people'?s|a stranger'?s|leaked"
            r"|found)\b[^.?!]{0,30}\b(?:access key|api key|credentials|account|card|token"
            r"|password)s?\b[^.?!]{0,50}\b(?:use it|use them|how (?:do|can) i|before they|mine|notice|log ?in"
            r"|exploit|sell|abuse)"
            r"|\bmine (?:crypto|bitcoin|monero)\b[^.?!]{0,40}\b(?:stolen|free trial|hacked|other|victim)|\b(?:stolen"
            r"|hacked|fake) (?:free trial )?(?:accounts?|credit cards?)\b|\b(?:ddos|hack into|phish\w*"
            r"|ransomware)\b[^.?!]{0,40}\b(?:someone|competitor|colleague|ex|neighbou?r|company|school)'?s?\b"
            r"|\bhow (?:do|can|to) (?:i )?(?:hack|crack|steal|break into)\b(?! the exam)[^.?!]{0,40}\b(?:account"
            r"|wifi|server|console|password|bucket of)",
        ),
    )
)


def breach(text: str) -> str | None:
    """The rule of exam integrity that a request breaks, or None."""
    return next((name for name, pattern in RULES if pattern.search(text)), None)


def abuse(text: str) -> str | None:
    """The kind of abuse that a message is, or None."""
    return next((name for name, pattern in ABUSE if pattern.search(text)), None)
