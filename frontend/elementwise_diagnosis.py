def stray_character(text, o):
    raise SystemExit(o)


def unexpected_token(text, before, token):
    print(text, before, repr(token))
    raise SystemExit
