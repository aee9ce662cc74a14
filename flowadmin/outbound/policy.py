"""What may be reached: this installation's rules over a target and each address of its name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from flowadmin.outbound.addresses import Kind, embedded, kind_of
from flowadmin.outbound.messages import NotAllowed, Objection
from flowadmin.outbound.resolver import on_this_machine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flowadmin.environment import Environment
    from flowadmin.outbound.addresses import Address
    from flowadmin.outbound.targets import Target
    from flowadmin.reachable import Proxy, Reachable


def usual_port(port: int) -> bool:
    """Whether a port needs no entry of the allow-list (reliability 4.6)."""
    return port in {80, 443} or 8000 <= port <= 9999


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules of one installation, read once from its environment.

    ``allow`` lifts the address and the port rule for what an entry names. ``own_ports`` are the
    ports on which this product itself listens; ``is_own`` says whether an address is this
    machine's. With ``proxy`` every connection goes through it, to the address that was checked.
    """

    allow: tuple[Reachable, ...] = ()
    https_only: bool = False
    proxy: Proxy | None = None
    own_ports: frozenset[int] = frozenset()
    is_own: Callable[[Address], bool] = on_this_machine

    def check_target(self, target: Target) -> None:
        """Raise NotAllowed for what is known without asking for the name's addresses.

        For the message to a designer, and as the first step of sending. Position: 0.
        """
        if self.https_only and not target.https:
            raise NotAllowed(Objection.HTTPS_ONLY)
        if target.literal is not None:
            self.check_address(target, target.literal)
        elif not usual_port(target.port) and not self._port_may_be_named(target):
            raise NotAllowed(Objection.PORT)

    def check_address(self, target: Target, address: Address) -> None:
        """Raise NotAllowed when this address, one of those of the target's host, must not be met.

        Source: reliability 4.6; contract, Environment. The product's own listening ports stay
        closed whatever is allowed: a request to ourselves would come from a trusted place.
        """
        if target.port in self.own_ports and self.is_own(address):
            raise NotAllowed(Objection.OWN_PORT)
        if not usual_port(target.port) and not any(self._entries(target, address)):
            raise NotAllowed(Objection.PORT)
        for part in (address, *embedded(address)):
            if not self._permitted(target, part):
                raise NotAllowed(Objection.ADDRESS)

    def _permitted(self, target: Target, address: Address) -> bool:
        match kind_of(address):
            case Kind.PUBLIC:
                return True
            case Kind.SPECIAL:
                return any(self._entries(target, address))
            case Kind.METADATA:
                return any(entry.exact for entry in self._entries(target, address))
            case Kind.NEVER:
                return False

    def _entries(self, target: Target, address: Address) -> Iterator[Reachable]:
        for entry in self.allow:
            if entry.port not in {None, target.port}:
                continue
            if entry.network is None:
                if entry.host == target.host:
                    yield entry
            elif address in entry.network:
                yield entry

    def _port_may_be_named(self, target: Target) -> bool:
        """Whether an entry names the host's port, or a network in which the host may turn out."""
        return any(
            entry.port in {None, target.port}
            and (entry.network is not None or entry.host == target.host)
            for entry in self.allow
        )


CLOSED: Final = Policy()


def policy_of(environment: Environment) -> Policy:
    """The rules that the environment of this process states."""
    return Policy(
        allow=environment.callback_allow,
        https_only=environment.callback_https_only,
        proxy=environment.callback_proxy,
        own_ports=frozenset({environment.port}),
    )
