from __future__ import annotations

from typing import Any, Mapping

import pydantic

from ._generated.models import EVENT_MODELS, Event
from ._model import UnknownEvent


def parse_event(value: Mapping[str, Any]) -> Event:
    """The model of an event, by its `type`.

    One that does not fit its model is unknown: refusing it would disable the webhook, or have a
    stream begin with it again and again.
    """
    model: Any = EVENT_MODELS.get(str(value.get("type")), UnknownEvent)
    try:
        event: Event = model.model_validate(value)
    except pydantic.ValidationError:
        event = UnknownEvent.model_validate(value)
    return event
