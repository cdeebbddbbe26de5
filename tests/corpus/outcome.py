# What an answer of the verifier is worth: right, or one of the ways to be wrong, worst first.
"""missed: a wrong dump passes; accused: a sound one does not; bogus: damaged cells get a cause that no one made; wrongly named;
unexplained: found wrong, and no cause is named; untold: no verdict at all. A name is right where the causes named are those that were
made: one cause too many is a false one."""

KINDS = ("missed", "accused", "bogus", "wrongly named", "unexplained", "untold", "wrong tier")


def is_worse(kind, than):
    return KINDS.index(kind) < KINDS.index(than)


def causes_of(answer):
    return list((answer or {}).get("causes") or [])


def judged(one, answer):
    code = (answer or {}).get("exit_code")
    if code not in (0, 1):
        return "untold"
    if not one.causes:
        if code == 1:
            return "accused"
        return "right" if answer.get("tier") in one.tiers else "wrong tier"
    if code == 0:
        return "right" if one.either else "missed"
    causes = causes_of(answer)
    if one.corrupt:
        return "right" if all(any(c in a for a in one.causes) for c in causes) else "bogus"
    if not causes:
        return "unexplained"
    return "right" if any(set(causes) == a for a in one.causes) else "wrongly named"


def word(one, answer):
    """The causes named, as one word for the matrix."""
    if answer is None:
        return "no answer"
    if answer.get("exit_code") == 2:
        return "could not tell"
    causes = causes_of(answer)
    if not causes:
        return "unexplained" if answer.get("tier") == "wrong" else answer.get("tier", "no tier")
    return " + ".join(sorted(causes)) if one.causes and len(one.causes[0]) > 1 else causes[0]


def said(one, answer):
    sentences = "; ".join((answer or {}).get("sentences") or [])[:160] or (answer or {}).get("error", "")[:160]
    return f"{' + '.join(causes_of(answer)) or word(one, answer)}, tier {(answer or {}).get('tier')} {sentences}"


def line(counts):
    return ", ".join(f"{counts[k]} {k}" for k in ("right", *KINDS) if counts[k] or k in KINDS[:5])
