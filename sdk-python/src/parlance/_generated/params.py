# Generated from the OpenAPI document by `npm run sdk:types`. Change the API's route declarations instead.

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, Mapping, Optional, Sequence, Union

from typing_extensions import Required, TypedDict

OPEN_FIELDS = frozenset({"headers", "metadata"})
"""Fields whose keys are the caller's own. They are sent as they are."""


class PostMessageBodyAuthor(TypedDict, total=False):
    """Default: `CUSTOMER`. A customer without an `id` is the conversation's customer, with that id and name."""
    type: Required[Literal["CUSTOMER", "USER", "AGENT", "API", "SYSTEM"]]
    id: Optional[str]
    """The id of the author: any value of your own, or the id of a customer, member or agent."""
    name: Optional[str]
    """The name to show for the author."""


class CreateConversationBodyMessageAuthor(TypedDict, total=False):
    """Default: `CUSTOMER`. A customer without an `id` is the conversation's customer, with that id and name."""
    type: Required[Literal["CUSTOMER", "USER", "AGENT", "API", "SYSTEM"]]
    id: Optional[str]
    """The id of the author: any value of your own, or the id of a customer, member or agent."""
    name: Optional[str]
    """The name to show for the author."""


class CreateConversationBodyMessage(TypedDict, total=False):
    text: str
    """The message as plain text. May be missing or empty if the message has attachments."""
    attachments: Sequence[str]
    """The ids of files from `POST /files`, in the order to show them. A file can be attached once."""
    author: CreateConversationBodyMessageAuthor
    """Default: `CUSTOMER`. A customer without an `id` is the conversation's customer, with that id and name."""
    external_id: Optional[str]
    """Your own id for the message."""
    metadata: Mapping[str, Union[str, float, bool]]


class CreateConversationBodyCustomer(TypedDict, total=False):
    """A customer to create with the conversation. If a customer with this `externalId` exists, it is used unchanged and the other fields are ignored."""
    external_id: Optional[str]
    """Your own id for the customer. Unique in the environment."""
    name: Optional[str]
    """The customer's name."""
    email: Optional[str]
    """An email address, stored in lower case."""
    phone: Optional[str]
    """A phone number in E.164 format, such as +4930123456."""
    locale: Optional[str]
    """A BCP 47 language tag, such as de-AT."""
    metadata: Mapping[str, Union[str, float, bool]]


class CreateWebhookBodyFilter(TypedDict, total=False):
    """Sends only events about conversations and messages whose conversation matches every field. A field takes one value or a list, of which one has to match. Events about anything else are not filtered."""
    channel_id: Union[str, Sequence[str]]
    """The conversation's channel."""
    tags: Union[str, Sequence[str]]
    """A tag of the conversation. With a list, one of its tags must be in the list."""
    priority: Union[Literal["LOW", "NORMAL", "HIGH", "URGENT"], Sequence[Literal["LOW", "NORMAL", "HIGH", "URGENT"]]]
    """The conversation's priority."""
    assignee_id: Union[Optional[str], Sequence[Optional[str]]]
    """The member who is assigned to the conversation. Null is for conversations without one."""
    agent_id: Union[Optional[str], Sequence[Optional[str]]]
    """The conversation's agent. Null is for conversations without one."""


class UpdateWebhookBodyFilter(TypedDict, total=False):
    """Sends only events about conversations and messages whose conversation matches every field. A field takes one value or a list, of which one has to match. Events about anything else are not filtered."""
    channel_id: Union[str, Sequence[str]]
    """The conversation's channel."""
    tags: Union[str, Sequence[str]]
    """A tag of the conversation. With a list, one of its tags must be in the list."""
    priority: Union[Literal["LOW", "NORMAL", "HIGH", "URGENT"], Sequence[Literal["LOW", "NORMAL", "HIGH", "URGENT"]]]
    """The conversation's priority."""
    assignee_id: Union[Optional[str], Sequence[Optional[str]]]
    """The member who is assigned to the conversation. Null is for conversations without one."""
    agent_id: Union[Optional[str], Sequence[Optional[str]]]
    """The conversation's agent. Null is for conversations without one."""
