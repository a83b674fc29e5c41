"""`eggrad verify`: a certificate checked."""

import json
from dataclasses import asdict

import click

from eggrad.frontend.cli.input import json_option, read_file
from eggrad.frontend.interface.certificates import steps
from eggrad.frontend.interface.certificates import verify as verified


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--steps", "with_steps", is_flag=True, help="Print every step.")
@json_option
def verify(*, file: str, with_steps: bool, as_json: bool) -> None:
    """Check the certificate in FILE: what it proves, what it assumes, and by which laws.

    The checker has no e-graph and no search. The status is 2 if the certificate is refused.
    """
    text = read_file(file)
    found = verified(text)
    if as_json:
        click.echo(json.dumps(asdict(found)))
    else:
        click.echo(str(found))
        if with_steps:
            click.echo(steps(text))
