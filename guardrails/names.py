"""Full names by the words that announce them: "my name is", "candidate:", a signature, a number beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files

from guardrails.rule import Found

_UPPER = "A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĘĚĞĢĪĮİĶŁĽŃŇŌŐŘŚŞŠŢŤŪŮŰŲŹŻŽА-ЯЁ"
_LETTERS = "a-zà-öø-ÿāăąćčďđēęěğģīįıķłľńňōőřśşšţťūůűųźżžа-яё"
_PART = (
    rf"(?:[{_UPPER}](?:['’][{_UPPER}])?[{_LETTERS}]{{1,24}}(?:[-'’][{_UPPER}]?[{_LETTERS}]{{1,24}}){{0,2}}"
    rf"|[{_UPPER}]{{2,24}}(?:[-'’][{_UPPER}]{{2,24}}){{0,2}}|[{_UPPER}]['’][{_UPPER}]{{2,24}})"
)
_JOINT = (
    r"(?: (?:van|von|de|da|do|dos|del|della|di|du|la|le|bin|binti|ibn|al|el|der|den|ter|ten|zu|y|san"
    rf"|st\.)){{0,3}} (?:[{_UPPER}]\.? ){{0,2}}(?:[aA]l-|[dD]['’])?"
)
_NAME = rf"{_PART}(?:{_JOINT}{_PART}){{1,3}}"
_FULL = re.compile(rf"(?<![\w@/.-])(?:{_NAME}|{_PART}, {_PART}(?: {_PART})?)(?![\w@/-]|\.\w|\()")
_PAIR = re.compile(rf"(?<![\w@/.-]){_NAME}(?= ?[,;|/–—(<\n-][^\w]{{0,3}}\Z)")

STRONG = re.compile(
    r"\b(?i:(?:my|the|his|her|full|legal|real|last|first and last|whole) name(?:'s| is| was|:)|name(?:'s| is|:| -"
    r"| on (?:my |the )?\w{1,14}:?(?: is| says)?)|name as"
    r"|(?:legal|full|real|maiden|birth|passport|account) name|candidate(?: name)?:|(?:badge|id|passport|licen[cs]e"
    r"|card|certificate|profile|account|dni|ausweis) (?:shows?|says?|reads|has)(?: me as)?"
    r"|certificate (?:for|says|should (?:say|read))|(?:is|was|account|profile|booking|voucher) under"
    r"|registered (?:as|under)|signed(?: up)? (?:as|by)|booked (?:as|under|for)"
    r"|in the name of|under the name(?: of)?"
    r"|ich hei(?:ß|ss)e|mein name(?: ist|:)|je m'appelle|je me nomme|mon nom(?: est|:)|me llamo|mi nombre(?: es|:)"
    r"|me chamo|meu nome(?: é| e|:)|mi chiamo|il mio nome è"
    r"|(?:mera|mara) naa?m|nama saya|ik heet|mijn naam is|nazywam się|jag heter|mitt namn är|tôi tên là|tên (?:tôi"
    r"|mình) là|ben[iı]m ad[iı]m|ad[iı]m|nombre:|nom:|nome:|name on account:)"
    r"|меня зовут|моё имя|мое имя|اسمي|मेरा नाम"
)
"""Words after which a name is sure to stand."""
WEAK = re.compile(
    r"(?:\b(?i:i am|i'm|i’m|im|this is|ich bin|je suis|soy|eu sou|sou(?: o| a)?|sono|saya|ik ben|jestem|jag är|ben"
    r"|(?:guy|man|woman|lady|person|proctor|colleague|coworker|friend|someone|somebody|boss|teacher|instructor"
    r"|trainer"
    r"|mate|classmate|examiner|invigilator|recruiter|neighbou?r|husband|wife|brother|sister|agent|buddy)(?: was"
    r"| is)?(?: called| named|,)?"
    r"|(?:called|told|asked|emailed|texted) me|(?:guy|woman|man) named|ask(?:ed)? for|cc|attn:?|dear|mr\.?|mrs\.?"
    r"|ms\.?|miss|prof\.?|herr|frau|señora?"
    r"|sra\.?|mme|monsieur|learner:?|examinee:?|student:|user:"
    r"|(?:best|regards|cheers|thanks|thx|sincerely|greetings|grüße|gruß|mfg|saludos|cordialement|abraços?|obrigad[oa]"
    r"|saluti)[,.!]?\n|dr\.?)|\n-{1,2} ?)"
)
"""Words after which a name may stand, or a role, or a product."""
_HERE = re.compile(rf"(?<![\w@/.-])(?P<v>{_NAME})(?= (?:here|speaking)\b)")
_GAP = re.compile(r"[\s:=\"'“(*_]{0,4}(?:is |was |ist |Mr\.? |Ms\.? |Dr\.? )?[\"'“]?")
_VERSUS = re.compile(
    r"[^\w\n]{0,3}(?:vs\.?|not|and|und|oder|or|instead of|but (?:my )?(?:id|passport|account|\w{1,12}) says|≠"
    r"|!=)[^\n\"'“]{0,20}[\"'“]?"
)
_QUIET = re.compile(
    r"(?i)(?:my name(?:'s| is)|me llamo|je m'appelle|ich hei(?:ß|ss)e|me chamo|mi chiamo|mera naa?m|nama saya"
    r"|ik heet) (?P<v>(?!\w+ing\b)[^\W\d_]{3,15} [^\W\d_]{3,20}(?:-[^\W\d_]{2,20})?)"
    r"(?=[,.!;)]|$|\n| (?:and|und|y|et|e|from|aus|de|hai|here|btw|but|i|if|how|what|when|where|can|is there)\b)"
)
_IDEOGRAPHS = re.compile(
    r"(?:名前は|氏名は|氏名[::]|名前[::]|私は|我叫|我是|我的名字(?:是|叫)|姓名[::]?是?|제 이름은|이름은"
    r"|저는) ?(?P<v>[一-龯々]{1,4}[  ]?[一-龯々ぁ-んァ-ヶー]{1,6}?|[ァ-ヶー]{2,8}[・ ][ァ-ヶー]{2,8}"
    r"|[가-힣]{2,4}(?: [가-힣]{1,3})?)"
    r"(?=です|と申|と言|といい|でご|,|，|。|、|\.|\s|$|입니다|이고|이라|라고|이며)"
)
_ARABIC = re.compile(
    r"(?:اسمي|أنا اسمي|मेरा नाम|меня зовут|Меня зовут) (?:هو )?(?P<v>[\u0621-\u064a]{2,14} [\u0621-\u064a]{2,14}(?: ["
    r"\u0621-\u064a]{2,14})?|[\u0900-\u097f]{2,14} [\u0900-\u097f]{2,14}(?= है))"
)

COMMON = frozenset(
    """
    happy good great best regards kind thanks hello dear please yes no hi hey ok okay the this that what which how
    why when where who is are was can could should would will do does already taken wrong not misspelled different
    spelled too long the on in still missing blank empty always never shown changed shorter longer cut off just only
    also very really so quite same this that there here what which who how when where why with without from for and
    but greyed grayed locked invalid rejected visible hidden written truncated switched swapped reversed public
    private required optional global unique regional
    """.split()
)
"""Words that no name begins with."""
ROLES = frozenset(
    """
    aurora serverless athena redshift kinesis fargate cognito macie guardduty inspector detective dynamodb dynamo
    spanner bigtable bigquery firestore anthos autopilot nginx ingress apache kafka redis postgres postgresql mysql
    mongo cassandra spark hadoop airflow grafana prometheus datadog splunk okta cloudflare vercel netlify gitops
    helm istio envoy consul nomad packer sentinel pulumi ansible chef puppet cloudfront cloudwatch cloudtrail
    cloudformation beanstalk lightsail sagemaker bedrock outposts wavelength nummer number nr passport reisepass
    meine mein my mobile phone telefon email mail address adresse cloud web server engineer engineers architect
    architects practitioner solutions solution certified certification associate professional developer admin
    administrator data network networking security devops sre platform lead senior junior manager director head
    consultant student beginner expert specialist analyst scientist team aws amazon google gcp azure microsoft
    hashicorp terraform kubernetes linux windows docker github gitlab jenkins slack discord pearson vue psi
    kryterion webassessor support exam guide test center centre practice question questions account accounts service
    services secret secrets access key keys user users group groups role roles policy storage compute engine virtual
    private public global regional direct connect connector config configuration control management system systems
    database databases warehouse api gateway load balancer auto scaling elastic simple lambda function functions run
    build shell console studio code artifact registry container containers cluster node nodes pool machine learning
    artificial intelligence deep archive glacier snowball lake formation step event bridge queue topic stream
    streams firehose data transfer family backup vault monday tuesday wednesday thursday friday saturday sunday
    january february march april may june july august september october november december english german french
    spanish portuguese hindi japanese chinese korean arabic indian american british european new york san francisco
    los angeles north south east west central windows premium standard basic free tier enterprise business plan pro
    plus app apps domain path default name id part chapter section module course lab labs digital leader
    fundamentals one two three four five first second third zone region identity center centre organization
    organizations trusted advisor well architected framework red blue green black white route transit hub vpc vm iam
    ec s3 rds ecs eks gke sql cli sdk iac hcl hcp oac mfa sso saml oidc ssh tls ssl dns cdn nat acl cidr ip tcp udp
    http https json yaml
    """.split()
)
"""Parts of roles, products, places and days: what has one of them is no person."""


@cache
def trade_words() -> frozenset[str]:
    """Words that several pages of the public documentation use: a name has at least one part that is none of them."""
    return frozenset((files("guardrails") / "trade_words.txt").read_text(encoding="utf-8").split())


class Names:
    """Full names by the words before them. `vocabulary`: words of the tenant's own documents, casefolded."""

    def __init__(self, vocabulary: Iterable[str] = ()) -> None:
        self._no_names = ROLES | frozenset(vocabulary)

    def find(self, text: str) -> Iterator[Found]:
        """Every announced name of two or more parts."""
        for cues in (STRONG, WEAK):
            for cue in cues.finditer(text):
                yield from self._after(text, cue.end(), versus=cues is STRONG)
        for pattern in (_HERE, _QUIET, _IDEOGRAPHS, _ARABIC):
            for match in pattern.finditer(text):
                if self.is_name(match["v"]):
                    yield Found(*match.span("v"), "PERSON")

    def beside(self, text: str, found: Iterable[Found]) -> Iterator[Found]:
        """Names that stand right before something else that belongs to a person."""
        for other in found:
            start = max(0, other.start - 60)
            match = _PAIR.search(text[start : other.start])
            if match and self.is_name(match[0]):
                yield Found(start + match.start(), start + match.end(), "PERSON")

    def is_name(self, text: str) -> bool:
        """Whether the parts could all be those of a person's name."""
        parts = [part.casefold().strip(".,'’") for part in re.split(r"[\s-]+", text)]
        if all(part in trade_words() for part in parts if len(part) > 1):
            return False
        if not text.isascii() and not re.search(r"[A-Za-z]", text):
            return True
        return len(parts) >= 2 and not (
            parts[0] in COMMON or any(part in self._no_names for part in parts if len(part) > 1)
        )

    def _after(self, text: str, position: int, *, versus: bool) -> Iterator[Found]:
        gap = _GAP.match(text, position)
        if gap and "=" in gap[0] and gap[0][-1] in "\"'":
            return  # a tag of a resource
        name = _FULL.match(text, gap.end() if gap else position)
        if name is None or not self.is_name(name[0]) or (not versus and ", " in name[0]):
            return
        yield Found(*name.span(), "PERSON")
        other = _VERSUS.match(text, name.end()) if versus else None
        again = _FULL.match(text, other.end()) if other else None
        if again is not None and self.is_name(again[0]):
            yield Found(*again.span(), "PERSON")
