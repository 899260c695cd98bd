# Generated from the OpenAPI document by `npm run sdk:types`. Change the API's route declarations instead.

from __future__ import annotations

from datetime import datetime
from typing import Any, Dict, List, Literal, Optional, Type, Union

from pydantic import Field

from .._model import Model, UnknownEvent


class AccountKey(Model):
    """The API key of this request."""
    id: str
    """The id of the API key."""
    name: str
    """The API key's name."""
    scopes: List[Union[Literal["read:conversations", "write:conversations", "read:customers", "write:customers", "read:agents", "write:agents", "read:knowledge", "write:knowledge", "read:webhooks", "write:webhooks", "read:usage"], str]]
    """What the API key is allowed to do."""
    expires_at: Optional[datetime] = None
    """When the API key expires."""


class AccountRateLimit(Model):
    """The API key's rate limit."""
    limit: int
    """Requests that the API key can make in a window."""
    window_seconds: int
    """The length of the window, in seconds."""


class Account(Model):
    """Your organization, as the API key sees it."""
    id: str
    """The id of the account."""
    name: str
    """The organization's name."""
    plan: Union[Literal["FREE", "PRO", "SCALE"], str]
    environment: Union[Literal["live", "test"], str]
    key: AccountKey
    """The API key of this request."""
    rate_limit: AccountRateLimit
    """The API key's rate limit."""
    created_at: datetime
    """When it was created."""


class Agent(Model):
    """A configuration for your program: instructions, the name of a model, knowledge bases. Shows its draft, or the version in `version`."""
    id: str
    """The id of the agent."""
    environment: Union[Literal["live", "test"], str]
    status: Union[Literal["DRAFT", "PUBLISHED", "ARCHIVED"], str]
    name: str
    """The agent's name."""
    description: Optional[str] = None
    """What the agent is for."""
    model: Optional[str] = None
    """The model that your program asks, by any name of your own. Parlance runs no model."""
    instructions: Optional[str] = None
    """What your program tells the model."""
    greeting: Optional[str] = None
    """What your program says first."""
    temperature: Optional[Union[int, float]] = None
    """How much the model varies its replies."""
    knowledge_base_ids: List[str]
    """The knowledge bases your program searches for this agent, in the same environment."""
    metadata: Dict[str, Union[str, int, float, bool]]
    version: Optional[int] = None
    """The number of the version that this shows, or null for the draft."""
    has_unpublished_changes: bool
    """Whether the draft differs from the published version."""
    published_version: Optional[int] = None
    """The number of the published version."""
    published_at: Optional[datetime] = None
    """When that version was published."""
    created_at: datetime
    """When it was created."""
    updated_at: datetime
    """When it was last changed."""


class AgentCreatedEventData(Model):
    """What the event is about."""
    object: Agent


class AgentCreatedEventRequest(Model):
    """The API request that caused the event, or null if none did."""
    id: str
    """The id of the request."""
    idempotency_key: Optional[str] = None
    """The `Idempotency-Key` of the request."""


class AgentCreatedEvent(Model):
    id: str
    """The id of the event."""
    type: Literal["agent.created"]
    """What happened."""
    api_version: Literal["v1"]
    """The API version of the object's format."""
    environment: Union[Literal["live", "test"], str]
    timestamp: datetime
    """When it happened."""
    data: AgentCreatedEventData
    """What the event is about."""
    request: Optional[AgentCreatedEventRequest] = None
    """The API request that caused the event, or null if none did."""
    redacted: Optional[Literal[True]] = None
    """Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null."""


class AgentDeletedEventDataObject(Model):
    """The id of the agent."""
    id: str
    """The id of the agent."""
    environment: Union[Literal["live", "test"], str]


class AgentDeletedEventData(Model):
    """What the event is about."""
    object: AgentDeletedEventDataObject
    """The id of the agent."""


class AgentDeletedEventRequest(Model):
    """The API request that caused the event, or null if none did."""
    id: str
    """The id of the request."""
    idempotency_key: Optional[str] = None
    """The `Idempotency-Key` of the request."""


class AgentDeletedEvent(Model):
    id: str
    """The id of the event."""
    type: Literal["agent.deleted"]
    """What happened."""
    api_version: Literal["v1"]
    """The API version of the object's format."""
    environment: Union[Literal["live", "test"], str]
    timestamp: datetime
    """When it happened."""
    data: AgentDeletedEventData
    """What the event is about."""
    request: Optional[AgentDeletedEventRequest] = None
    """The API request that caused the event, or null if none did."""
    redacted: Optional[Literal[True]] = None
    """Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null."""


class AgentPublishedEventDataPreviousAttributes(Model):
    """The previous values of the fields that changed."""
    id: Optional[str] = None
    """The id of the agent."""
    environment: Optional[Union[Literal["live", "test"], str]] = None
    status: Optional[Union[Literal["DRAFT", "PUBLISHED", "ARCHIVED"], str]] = None
    name: Optional[str] = None
    """The agent's name."""
    description: Optional[str] = None
    """What the agent is for."""
    model: Optional[str] = None
    """The model that your program asks, by any name of your own. Parlance runs no model."""
    instructions: Optional[str] = None
    """What your program tells the model."""
    greeting: Optional[str] = None
    """What your program says first."""
    temperature: Optional[Union[int, float]] = None
    """How much the model varies its replies."""
    knowledge_base_ids: Optional[List[str]] = None
    """The knowledge bases your program searches for this agent, in the same environment."""
    metadata: Optional[Dict[str, Union[str, int, float, bool]]] = None
    version: Optional[int] = None
    """The number of the version that this shows, or null for the draft."""
    has_unpublished_changes: Optional[bool] = None
    """Whether the draft differs from the published version."""
    published_version: Optional[int] = None
    """The number of the published version."""
    published_at: Optional[datetime] = None
    """When that version was published."""
    created_at: Optional[datetime] = None
    """When it was created."""
    updated_at: Optional[datetime] = None
    """When it was last changed."""


class AgentPublishedEventData(Model):
    """What the event is about."""
    object: Agent
    previous_attributes: Optional[AgentPublishedEventDataPreviousAttributes] = None
    """The previous values of the fields that changed."""


class AgentPublishedEventRequest(Model):
    """The API request that caused the event, or null if none did."""
    id: str
    """The id of the request."""
    idempotency_key: Optional[str] = None
    """The `Idempotency-Key` of the request."""


class AgentPublishedEvent(Model):
    id: str
    """The id of the event."""
    type: Literal["agent.published"]
    """What happened."""
    api_version: Literal["v1"]
    """The API version of the object's format."""
    environment: Union[Literal["live", "test"], str]
    timestamp: datetime
    """When it happened."""
    data: AgentPublishedEventData
    """What the event is about."""
    request: Optional[AgentPublishedEventRequest] = None
    """The API request that caused the event, or null if none did."""
    redacted: Optional[Literal[True]] = None
    """Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null."""


class AgentUpdatedEventDataPreviousAttributes(Model):
    """The previous values of the fields that changed."""
    id: Optional[str] = None
    """The id of the agent."""
    environment: Optional[Union[Literal["live", "test"], str]] = None
    status: Optional[Union[Literal["DRAFT", "PUBLISHED", "ARCHIVED"], str]] = None
    name: Optional[str] = None
    """The agent's name."""
    description: Optional[str] = None
    """What the agent is for."""
    model: Optional[str] = None
    """The model that your program asks, by any name of your own. Parlance runs no model."""
    instructions: Optional[str] = None
    """What your program tells the model."""
    greeting: Optional[str] = None
    """What your program says first."""
    temperature: Optional[Union[int, float]] = None
    """How much the model varies its replies."""
    knowledge_base_ids: Optional[List[str]] = None
    """The knowledge bases your program searches for this agent, in the same environment."""
    metadata: Optional[Dict[str, Union[str, int, float, bool]]] = None
    version: Optional[int] = None
    """The number of the version that this shows, or null for the draft."""
    has_unpublished_changes: Optional[bool] = None
    """Whether the draft differs from the published version."""
    published_version: Optional[int] = None
    """The number of the published version."""
    published_at: Optional[datetime] = None
    """When that version was published."""
    created_at: Optional[datetime] = None
    """When it was created."""
    updated_at: Optional[datetime] = None
    """When it was last changed."""


class AgentUpdatedEventData(Model):
    """What the event is about."""
    object: Agent
    previous_attributes: Optional[AgentUpdatedEventDataPreviousAttributes] = None
    """The previous values of the fields that changed."""


class AgentUpdatedEventRequest(Model):
    """The API request that caused the event, or null if none did."""
    id: str
    """The id of the request."""
    idempotency_key: Optional[str] = None
    """The `Idempotency-Key` of the request."""


class AgentUpdatedEvent(Model):
    id: str
    """The id of the event."""
    type: Literal["agent.updated"]
    """What happened."""
    api_version: Literal["v1"]
    """The API version of the object's format."""
    environment: Union[Literal["live", "test"], str]
    timestamp: datetime
    """When it happened."""
    data: AgentUpdatedEventData
    """What the event is about."""
    request: Optional[AgentUpdatedEventRequest] = None
    """The API request that caused the event, or null if none did."""
    redacted: Optional[Literal[True]] = None
    """Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null."""


class AgentVersion(Model):
    """A published version of an agent. `GET /agents/{agentId}?version=` shows its content."""
    version: int
    """The number of the version, from 1."""
    published_at: datetime
    """When it was published."""
    published_by_id: Optional[str] = None
    """The member who published it. Null if no member did."""
    restored_version: Optional[int] = None
    """The earlier version that a rollback restored as this one."""


class Attachment(Model):
    """A file of a message."""
    id: str
    """The id of the file."""
    name: str
    """The name that the file is downloaded with."""
    content_type: str
    """The type by the file's content, whatever its name says. `application/octet-stream` if it is none that Parlance recognizes."""
    size_bytes: int
    """The file's size, in bytes."""
    url: Optional[str] = None
    """A link to download the file, for anyone who has it. PNG, JPEG, GIF and WebP images can be shown in a page. Null in events, because a stored link would expire."""
    url_expires_at: Optional[datetime] = None
    """When the link stops working: 5 minutes after the response. Null without a link."""


class AttemptReply(Model):
    """What became of a reply in a response."""
    message_id: Optional[str] = None
    """The message that the reply to this event became."""
    problem: Optional[Union[Literal["invalid_json", "invalid_reply", "too_long", "conversation_closed", "conversation_deleted", "message_redacted", "already_replied"], str]] = None
    """Why this reply was not posted."""


class Conversation(Model):
    """A conversation with a customer on one of your channels."""
    id: str
    """The id of the conversation."""
    environment: Union[Literal["live", "test"], str]
    status: Union[Literal["OPEN", "PENDING", "SNOOZED", "RESOLVED", "CLOSED"], str]
    channel_id: str
    """Your own name for the channel; any value."""
    customer_id: Optional[str] = None
    """The id of the customer."""
    agent_id: Optional[str] = None
    """The id of the agent."""
    assignee_id: Optional[str] = None
    """The id of the member who is assigned to the conversation."""
    subject: Optional[str] = None
    """What the conversation is about."""
    priority: Union[Literal["LOW", "NORMAL", "HIGH", "URGENT"], str]
    tags: List[str]
    """Your own labels, each at most once."""
    metadata: Dict[str, Union[str, int, float, bool]]
    external_id: Optional[str] = None
    """Your own id for the conversation."""
    message_count: int
    """How many messages the conversation has, notes included."""
    last_message_at: Optional[datetime] = None
    """When the newest message was posted."""
    last_message_preview: Optional[str] = None
    """The start of the newest message."""
    snoozed_until: Optional[datetime] = None
    """When a `SNOOZED` conversation reopens."""
    resolved_at: Optional[datetime] = None
    """When it became `RESOLVED`; null before, and after it was reopened."""
    closed_at: Optional[datetime] = None
    """When it became `CLOSED`; null unless it is."""
    created_at: datetime
    """When it was created."""
    updated_at: datetime
    """When it was last changed."""


class ConversationCreatedEventData(Model):
    """What the event is about."""
    object: Conversation


class ConversationCreatedEventRequest(Model):
    """The API request that caused the event, or null if none did."""
    id: str
    """The id of the request."""
    idempotency_key: Optional[str] = None
    """The `Idempotency-Key` of the request."""


class ConversationCreatedEvent(Model):
    id: str
    """The id of the event."""
    type: Literal["conversation.created"]
    """What happened."""
    api_version: Literal["v1"]
    """The API version of the object's format."""
    environment: Union[Literal["live", "test"], str]
    timestamp: datetime
    """When it happened."""
    data: ConversationCreatedEventData
    """What the event is about."""
    request: Optional[ConversationCreatedEventRequest] = None
    """The API request that caused the event, or null if none did."""
    redacted: Optional[Literal[True]] = None
    """Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null."""


class ConversationDeletedEventDataObject(Model):
    """The ids of the conversation and its customer."""
    id: str
    """The id of the conversation."""
    environment: Union[Literal["live", "test"], str]
    customer_id: Optional[str] = None
    """The id of the customer."""


class ConversationDeletedEventData(Model):
    """What the event is about."""
    object: ConversationDeletedEventDataObject
    """The ids of the conversation and its customer."""


class ConversationDeletedEventRequest(Model):
    """The API request that caused the event, or null if none did."""
    id: str
    """The id of the request."""
    idempotency_key: Optional[str] = None
    """The `Idempotency-Key` of the request."""


class ConversationDeletedEvent(Model):
    id: str
    """The id of the event."""
    type: Literal["conversation.deleted"]
    """What happened."""
    api_version: Literal["v1"]
    """The API version of the object's format."""
    environment: Union[Literal["live", "test"], str]
    timestamp: datetime
    """When it happened."""
    data: ConversationDeletedEventData
    """What the event is about."""
    request: Optional[ConversationDeletedEventRequest] = None
    """The API request that caused the event, or null if none did."""
    redacted: Optional[Literal[True]] = None
    """Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null."""


class ConversationStatusChangedEventDataPreviousAttributes(Model):
    """The previous values of the fields that changed."""
    id: Optional[str] = None
    """The id of the conversation."""
    environment: Optional[Union[Literal["live", "test"], str]] = None
    status: Optional[Union[Literal["OPEN", "PENDING", "SNOOZED", "RESOLVED", "CLOSED"], str]] = None
    channel_id: Optional[str] = None
    """Your own name for the channel; any value."""
    customer_id: Optional[str] = None
    """The id of the customer."""
    agent_id: Optional[str] = None
    """The id of the agent."""
    assignee_id: Optional[str] = None
    """The id of the member who is assigned to the conversation."""
    subject: Optional[str] = None
    """What the conversation is about."""
    priority: Optional[Union[Literal["LOW", "NORMAL", "HIGH", "URGENT"], str]] = None
    tags: Optional[List[str]] = None
    """Your own labels, each at most once."""
    metadata: Optional[Dict[str, Union[str, int, float, bool]]] = None
    external_id: Optional[str] = None
    """Your own id for the conversation."""
    message_count: Optional[int] = None
    """How many messages the conversation has, notes included."""
    last_message_at: Optional[datetime] = None
    """When the newest message was posted."""
    last_message_preview: Optional[str] = None
    """The start of the newest message."""
    snoozed_until: Optional[datetime] = None
    """When a `SNOOZED` conversation reopens."""
    resolved_at: Optional[datetime] = None
    """When it became `RESOLVED`; null before, and after it was reopened."""
    closed_at: Optional[datetime] = None
    """When it became `CLOSED`; null unless it is."""
    created_at: Optional[datetime] = None
    """When it was created."""
    updated_at: Optional[datetime] = None
    """When it was last changed."""


class ConversationStatusChangedEventData(Model):
    """What the event is about."""
    object: Conversation
    previous_attributes: Optional[ConversationStatusChangedEventDataPreviousAttributes] = None
    """The previous values of the fields that changed."""


class ConversationStatusChangedEventRequest(Model):
    """The API request that caused the event, or null if none did."""
    id: str
    """The id of the request."""
    idempotency_key: Optional[str] = None
    """The `Idempotency-Key` of the request."""


class ConversationStatusChangedEvent(Model):
    id: str
    """The id of the event."""
    type: Literal["conversation.status_changed"]
    """What happened."""
    api_version: Literal["v1"]
    """The API version of the object's format."""
    environment: Union[Literal["live", "test"], str]
    timestamp: datetime
    """When it happened."""
    data: ConversationStatusChangedEventData
    """What the event is about."""
    request: Optional[ConversationStatusChangedEventRequest] = None
    """The API request that caused the event, or null if none did."""
    redacted: Optional[Literal[True]] = None
    """Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null."""


class ConversationUpdatedEventDataPreviousAttributes(Model):
    """The previous values of the fields that changed."""
    id: Optional[str] = None
    """The id of the conversation."""
    environment: Optional[Union[Literal["live", "test"], str]] = None
    status: Optional[Union[Literal["OPEN", "PENDING", "SNOOZED", "RESOLVED", "CLOSED"], str]] = None
    channel_id: Optional[str] = None
    """Your own name for the channel; any value."""
    customer_id: Optional[str] = None
    """The id of the customer."""
    agent_id: Optional[str] = None
    """The id of the agent."""
    assignee_id: Optional[str] = None
    """The id of the member who is assigned to the conversation."""
    subject: Optional[str] = None
    """What the conversation is about."""
    priority: Optional[Union[Literal["LOW", "NORMAL", "HIGH", "URGENT"], str]] = None
    tags: Optional[List[str]] = None
    """Your own labels, each at most once."""
    metadata: Optional[Dict[str, Union[str, int, float, bool]]] = None
    external_id: Optional[str] = None
    """Your own id for the conversation."""
    message_count: Optional[int] = None
    """How many messages the conversation has, notes included."""
    last_message_at: Optional[datetime] = None
    """When the newest message was posted."""
    last_message_preview: Optional[str] = None
    """The start of the newest message."""
    snoozed_until: Optional[datetime] = None
    """When a `SNOOZED` conversation reopens."""
    resolved_at: Optional[datetime] = None
    """When it became `RESOLVED`; null before, and after it was reopened."""
    closed_at: Optional[datetime] = None
    """When it became `CLOSED`; null unless it is."""
    created_at: Optional[datetime] = None
    """When it was created."""
    updated_at: Optional[datetime] = None
    """When it was last changed."""


class ConversationUpdatedEventData(Model):
    """What the event is about."""
    object: Conversation
    previous_attributes: Optional[ConversationUpdatedEventDataPreviousAttributes] = None
    """The previous values of the fields that changed."""


class ConversationUpdatedEventRequest(Model):
    """The API request that caused the event, or null if none did."""
    id: str
    """The id of the request."""
    idempotency_key: Optional[str] = None
    """The `Idempotency-Key` of the request."""


class ConversationUpdatedEvent(Model):
    id: str
    """The id of the event."""
    type: Literal["conversation.updated"]
    """What happened."""
    api_version: Literal["v1"]
    """The API version of the object's format."""
    environment: Union[Literal["live", "test"], str]
    timestamp: datetime
    """When it happened."""
    data: ConversationUpdatedEventData
    """What the event is about."""
    request: Optional[ConversationUpdatedEventRequest] = None
    """The API request that caused the event, or null if none did."""
    redacted: Optional[Literal[True]] = None
    """Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null."""


class Customer(Model):
    """A person you talk to."""
    id: str
    """The id of the customer."""
    environment: Union[Literal["live", "test"], str]
    external_id: Optional[str] = None
    """Your own id for the customer. Unique in the environment."""
    name: Optional[str] = None
    """The customer's name."""
    email: Optional[str] = None
    """An email address, stored in lower case."""
    phone: Optional[str] = None
    """A phone number in E.164 format, such as +4930123456."""
    locale: Optional[str] = None
    """A BCP 47 language tag, such as de-AT."""
    metadata: Dict[str, Union[str, int, float, bool]]
    conversation_count: int
    """How many conversations the customer has."""
    created_at: datetime
    """When it was created."""
    updated_at: datetime
    """When it was last changed."""
    erased_at: Optional[datetime] = None
    """When the customer's erasure was requested. The customer has no personal data since then and cannot be changed."""


class CustomerCreatedEventData(Model):
    """What the event is about."""
    object: Customer


class CustomerCreatedEventRequest(Model):
    """The API request that caused the event, or null if none did."""
    id: str
    """The id of the request."""
    idempotency_key: Optional[str] = None
    """The `Idempotency-Key` of the request."""


class CustomerCreatedEvent(Model):
    id: str
    """The id of the event."""
    type: Literal["customer.created"]
    """What happened."""
    api_version: Literal["v1"]
    """The API version of the object's format."""
    environment: Union[Literal["live", "test"], str]
    timestamp: datetime
    """When it happened."""
    data: CustomerCreatedEventData
    """What the event is about."""
    request: Optional[CustomerCreatedEventRequest] = None
    """The API request that caused the event, or null if none did."""
    redacted: Optional[Literal[True]] = None
    """Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null."""


class CustomerDeletedEventDataObject(Model):
    """The id of the customer."""
    id: str
    """The id of the customer."""
    environment: Union[Literal["live", "test"], str]


class CustomerDeletedEventData(Model):
    """What the event is about."""
    object: CustomerDeletedEventDataObject
    """The id of the customer."""


class CustomerDeletedEventRequest(Model):
    """The API request that caused the event, or null if none did."""
    id: str
    """The id of the request."""
    idempotency_key: Optional[str] = None
    """The `Idempotency-Key` of the request."""


class CustomerDeletedEvent(Model):
    id: str
    """The id of the event."""
    type: Literal["customer.deleted"]
    """What happened."""
    api_version: Literal["v1"]
    """The API version of the object's format."""
    environment: Union[Literal["live", "test"], str]
    timestamp: datetime
    """When it happened."""
    data: CustomerDeletedEventData
    """What the event is about."""
    request: Optional[CustomerDeletedEventRequest] = None
    """The API request that caused the event, or null if none did."""
    redacted: Optional[Literal[True]] = None
    """Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null."""


class CustomerErasedEventDataObject(Model):
    """The ids of the customer and the erasure."""
    id: str
    """The id of the customer."""
    environment: Union[Literal["live", "test"], str]
    erasure_id: str
    """The id of the erasure."""


class CustomerErasedEventData(Model):
    """What the event is about."""
    object: CustomerErasedEventDataObject
    """The ids of the customer and the erasure."""


class CustomerErasedEventRequest(Model):
    """The API request that caused the event, or null if none did."""
    id: str
    """The id of the request."""
    idempotency_key: Optional[str] = None
    """The `Idempotency-Key` of the request."""


class CustomerErasedEvent(Model):
    id: str
    """The id of the event."""
    type: Literal["customer.erased"]
    """What happened."""
    api_version: Literal["v1"]
    """The API version of the object's format."""
    environment: Union[Literal["live", "test"], str]
    timestamp: datetime
    """When it happened."""
    data: CustomerErasedEventData
    """What the event is about."""
    request: Optional[CustomerErasedEventRequest] = None
    """The API request that caused the event, or null if none did."""
    redacted: Optional[Literal[True]] = None
    """Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null."""


class CustomerUpdatedEventDataPreviousAttributes(Model):
    """The previous values of the fields that changed."""
    id: Optional[str] = None
    """The id of the customer."""
    environment: Optional[Union[Literal["live", "test"], str]] = None
    external_id: Optional[str] = None
    """Your own id for the customer. Unique in the environment."""
    name: Optional[str] = None
    """The customer's name."""
    email: Optional[str] = None
    """An email address, stored in lower case."""
    phone: Optional[str] = None
    """A phone number in E.164 format, such as +4930123456."""
    locale: Optional[str] = None
    """A BCP 47 language tag, such as de-AT."""
    metadata: Optional[Dict[str, Union[str, int, float, bool]]] = None
    conversation_count: Optional[int] = None
    """How many conversations the customer has."""
    created_at: Optional[datetime] = None
    """When it was created."""
    updated_at: Optional[datetime] = None
    """When it was last changed."""
    erased_at: Optional[datetime] = None
    """When the customer's erasure was requested. The customer has no personal data since then and cannot be changed."""


class CustomerUpdatedEventData(Model):
    """What the event is about."""
    object: Customer
    previous_attributes: Optional[CustomerUpdatedEventDataPreviousAttributes] = None
    """The previous values of the fields that changed."""


class CustomerUpdatedEventRequest(Model):
    """The API request that caused the event, or null if none did."""
    id: str
    """The id of the request."""
    idempotency_key: Optional[str] = None
    """The `Idempotency-Key` of the request."""


class CustomerUpdatedEvent(Model):
    id: str
    """The id of the event."""
    type: Literal["customer.updated"]
    """What happened."""
    api_version: Literal["v1"]
    """The API version of the object's format."""
    environment: Union[Literal["live", "test"], str]
    timestamp: datetime
    """When it happened."""
    data: CustomerUpdatedEventData
    """What the event is about."""
    request: Optional[CustomerUpdatedEventRequest] = None
    """The API request that caused the event, or null if none did."""
    redacted: Optional[Literal[True]] = None
    """Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null."""


class DeleteAgentResult(Model):
    id: str
    """The id of the agent."""
    deleted: Literal[True]
    """Always true."""


class DeleteConversationResult(Model):
    id: str
    """The id of the conversation."""
    deleted: Literal[True]
    """Always true."""


class DeleteCustomerResult(Model):
    id: str
    """The id of the customer."""
    deleted: Literal[True]
    """Always true."""


class DeleteDocumentResult(Model):
    id: str
    """The id of the document."""
    deleted: Literal[True]
    """Always true."""


class DeleteKnowledgeBaseResult(Model):
    id: str
    """The id of the knowledge base."""
    deleted: Literal[True]
    """Always true."""


class DeleteWebhookResult(Model):
    id: str
    """The id of the webhook."""
    deleted: Literal[True]
    """Always true."""


class Delivery(Model):
    """An event on its way to a webhook."""
    id: str
    """The id of the delivery."""
    webhook_id: str
    """The id of the webhook."""
    event_id: str
    """The id of the event."""
    event_type: Union[Literal["conversation.created", "conversation.updated", "conversation.status_changed", "conversation.deleted", "message.received", "message.sent", "message.redacted", "customer.created", "customer.updated", "customer.deleted", "customer.erased", "agent.created", "agent.updated", "agent.published", "agent.deleted", "knowledge_base.created", "knowledge_base.updated", "knowledge_base.deleted", "document.created", "document.updated", "document.ready", "document.failed", "document.deleted", "webhook.disabled", "webhook.test"], str]
    status: Union[Literal["PENDING", "DELIVERED", "FAILED", "HELD", "DISCARDED"], str]
    attempt_count: int
    """Attempts that have ended, including requested ones."""
    next_attempt_at: Optional[datetime] = None
    """When the next attempt is due. Null if there is none, and while a `PENDING` delivery waits for an earlier one of its conversation."""
    created_at: datetime
    """When it was created."""
    updated_at: datetime
    """When it was last changed."""


class DeliveryAttempt(Model):
    """One attempt to send an event."""
    number: int
    """1 for the delivery's first attempt."""
    trigger: Union[Literal["AUTOMATIC", "MANUAL", "TEST"], str]
    started_at: datetime
    """When the attempt started."""
    duration_ms: int
    """How long it took, in milliseconds."""
    status_code: Optional[int] = None
    """The HTTP status of the response, or null if none arrived."""
    error_code: Optional[str] = None
    """Why no response arrived: `timeout`, `blocked_address`, `dns_error`, `tls_error`, `connection_refused`, `connection_reset`, `connection_error`, `invalid_response` or `invalid_url`."""
    response: Optional[str] = None
    """The first 16 KiB of the response body."""
    response_headers: Optional[Dict[str, str]] = None
    """The first 20 headers of a response that failed the attempt, at most 2 KB. Cookies, tokens and other credentials are `[redacted]`, and a value of more than 500 characters is cut off. Null after a success, or without a response."""
    reply: Optional[AttemptReply] = None
    """Null if the response had no reply, or the webhook does not accept replies."""


class DeliveryWithAttempts(Model):
    """A delivery with its attempts."""
    id: str
    """The id of the delivery."""
    webhook_id: str
    """The id of the webhook."""
    event_id: str
    """The id of the event."""
    event_type: Union[Literal["conversation.created", "conversation.updated", "conversation.status_changed", "conversation.deleted", "message.received", "message.sent", "message.redacted", "customer.created", "customer.updated", "customer.deleted", "customer.erased", "agent.created", "agent.updated", "agent.published", "agent.deleted", "knowledge_base.created", "knowledge_base.updated", "knowledge_base.deleted", "document.created", "document.updated", "document.ready", "document.failed", "document.deleted", "webhook.disabled", "webhook.test"], str]
    status: Union[Literal["PENDING", "DELIVERED", "FAILED", "HELD", "DISCARDED"], str]
    attempt_count: int
    """Attempts that have ended, including requested ones."""
    next_attempt_at: Optional[datetime] = None
    """When the next attempt is due. Null if there is none, and while a `PENDING` delivery waits for an earlier one of its conversation."""
    created_at: datetime
    """When it was created."""
    updated_at: datetime
    """When it was last changed."""
    attempts: List[DeliveryAttempt]
    """The newest 100, the oldest of them first."""


class DocumentError(Model):
    """Why the document could not be read, if its status is `FAILED`."""
    code: Union[Literal["empty", "encrypted", "invalid_file", "too_large", "timeout", "internal"], str]
    message: str
    """The reason, as a sentence."""


class Document(Model):
    """A document of a knowledge base."""
    id: str
    """The id of the document."""
    knowledge_base_id: str
    """The id of the knowledge base."""
    name: str
    """The document's name."""
    content_type: Union[Literal["text/plain", "text/markdown", "text/html", "text/csv", "application/json", "application/pdf", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"], str]
    size_bytes: int
    """The file's size, in bytes."""
    sha256: str
    """The file's SHA-256 digest, in hexadecimal."""
    status: Union[Literal["PENDING", "PROCESSING", "READY", "FAILED"], str]
    error: Optional[DocumentError] = None
    """Why the document could not be read, if its status is `FAILED`."""
    character_count: Optional[int] = None
    """The length of the document's text, in characters. Null until the text has been read. While a new file is being read, this is the length of the earlier text."""
    chunk_count: Optional[int] = None
    """The number of parts that the text was split into for the search. Null until the document has been `READY`."""
    metadata: Dict[str, Union[str, int, float, bool]]
    created_at: datetime
    """When it was created."""
    updated_at: datetime
    """When it was last changed."""


class DocumentCreatedEventData(Model):
    """What the event is about."""
    object: Document


class DocumentCreatedEventRequest(Model):
    """The API request that caused the event, or null if none did."""
    id: str
    """The id of the request."""
    idempotency_key: Optional[str] = None
    """The `Idempotency-Key` of the request."""


class DocumentCreatedEvent(Model):
    id: str
    """The id of the event."""
    type: Literal["document.created"]
    """What happened."""
    api_version: Literal["v1"]
    """The API version of the object's format."""
    environment: Union[Literal["live", "test"], str]
    timestamp: datetime
    """When it happened."""
    data: DocumentCreatedEventData
    """What the event is about."""
    request: Optional[DocumentCreatedEventRequest] = None
    """The API request that caused the event, or null if none did."""
    redacted: Optional[Literal[True]] = None
    """Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null."""


class DocumentDeletedEventData(Model):
    """What the event is about."""
    object: Document


class DocumentDeletedEventRequest(Model):
    """The API request that caused the event, or null if none did."""
    id: str
    """The id of the request."""
    idempotency_key: Optional[str] = None
    """The `Idempotency-Key` of the request."""


class DocumentDeletedEvent(Model):
    id: str
    """The id of the event."""
    type: Literal["document.deleted"]
    """What happened."""
    api_version: Literal["v1"]
    """The API version of the object's format."""
    environment: Union[Literal["live", "test"], str]
    timestamp: datetime
    """When it happened."""
    data: DocumentDeletedEventData
    """What the event is about."""
    request: Optional[DocumentDeletedEventRequest] = None
    """The API request that caused the event, or null if none did."""
    redacted: Optional[Literal[True]] = None
    """Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null."""


class DocumentFailedEventData(Model):
    """What the event is about."""
    object: Document


class DocumentFailedEventRequest(Model):
    """The API request that caused the event, or null if none did."""
    id: str
    """The id of the request."""
    idempotency_key: Optional[str] = None
    """The `Idempotency-Key` of the request."""


class DocumentFailedEvent(Model):
    id: str
    """The id of the event."""
    type: Literal["document.failed"]
    """What happened."""
    api_version: Literal["v1"]
    """The API version of the object's format."""
    environment: Union[Literal["live", "test"], str]
    timestamp: datetime
    """When it happened."""
    data: DocumentFailedEventData
    """What the event is about."""
    request: Optional[DocumentFailedEventRequest] = None
    """The API request that caused the event, or null if none did."""
    redacted: Optional[Literal[True]] = None
    """Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null."""


class DocumentFile(Model):
    """The uploaded file of a document."""
    document_id: str
    """The id of the document."""
    name: str
    """The document's name."""
    content_type: Union[Literal["text/plain", "text/markdown", "text/html", "text/csv", "application/json", "application/pdf", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"], str]
    size_bytes: int
    """The file's size, in bytes."""
    sha256: str
    """The file's SHA-256 digest, in hexadecimal."""
    url: Optional[str] = None
    """A link to download the file, for anyone who has it."""
    url_expires_at: Optional[datetime] = None
    """When the link stops working: 5 minutes after the response."""


class DocumentReadyEventData(Model):
    """What the event is about."""
    object: Document


class DocumentReadyEventRequest(Model):
    """The API request that caused the event, or null if none did."""
    id: str
    """The id of the request."""
    idempotency_key: Optional[str] = None
    """The `Idempotency-Key` of the request."""


class DocumentReadyEvent(Model):
    id: str
    """The id of the event."""
    type: Literal["document.ready"]
    """What happened."""
    api_version: Literal["v1"]
    """The API version of the object's format."""
    environment: Union[Literal["live", "test"], str]
    timestamp: datetime
    """When it happened."""
    data: DocumentReadyEventData
    """What the event is about."""
    request: Optional[DocumentReadyEventRequest] = None
    """The API request that caused the event, or null if none did."""
    redacted: Optional[Literal[True]] = None
    """Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null."""


class DocumentUpdatedEventDataPreviousAttributesError(Model):
    """Why the document could not be read, if its status is `FAILED`."""
    code: Union[Literal["empty", "encrypted", "invalid_file", "too_large", "timeout", "internal"], str]
    message: str
    """The reason, as a sentence."""


class DocumentUpdatedEventDataPreviousAttributes(Model):
    """The previous values of the fields that changed."""
    id: Optional[str] = None
    """The id of the document."""
    knowledge_base_id: Optional[str] = None
    """The id of the knowledge base."""
    name: Optional[str] = None
    """The document's name."""
    content_type: Optional[Union[Literal["text/plain", "text/markdown", "text/html", "text/csv", "application/json", "application/pdf", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"], str]] = None
    size_bytes: Optional[int] = None
    """The file's size, in bytes."""
    sha256: Optional[str] = None
    """The file's SHA-256 digest, in hexadecimal."""
    status: Optional[Union[Literal["PENDING", "PROCESSING", "READY", "FAILED"], str]] = None
    error: Optional[DocumentUpdatedEventDataPreviousAttributesError] = None
    """Why the document could not be read, if its status is `FAILED`."""
    character_count: Optional[int] = None
    """The length of the document's text, in characters. Null until the text has been read. While a new file is being read, this is the length of the earlier text."""
    chunk_count: Optional[int] = None
    """The number of parts that the text was split into for the search. Null until the document has been `READY`."""
    metadata: Optional[Dict[str, Union[str, int, float, bool]]] = None
    created_at: Optional[datetime] = None
    """When it was created."""
    updated_at: Optional[datetime] = None
    """When it was last changed."""


class DocumentUpdatedEventData(Model):
    """What the event is about."""
    object: Document
    previous_attributes: Optional[DocumentUpdatedEventDataPreviousAttributes] = None
    """The previous values of the fields that changed."""


class DocumentUpdatedEventRequest(Model):
    """The API request that caused the event, or null if none did."""
    id: str
    """The id of the request."""
    idempotency_key: Optional[str] = None
    """The `Idempotency-Key` of the request."""


class DocumentUpdatedEvent(Model):
    id: str
    """The id of the event."""
    type: Literal["document.updated"]
    """What happened."""
    api_version: Literal["v1"]
    """The API version of the object's format."""
    environment: Union[Literal["live", "test"], str]
    timestamp: datetime
    """When it happened."""
    data: DocumentUpdatedEventData
    """What the event is about."""
    request: Optional[DocumentUpdatedEventRequest] = None
    """The API request that caused the event, or null if none did."""
    redacted: Optional[Literal[True]] = None
    """Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null."""


class ErasureRemoved(Model):
    """What was removed so far."""
    conversations: int
    """Conversations whose content was removed."""
    messages: int
    """Messages whose content was removed."""
    files: int
    """Attachments that were deleted."""
    events: int
    """Events that were redacted."""
    deliveries: int
    """Deliveries of these events, whose stored responses were removed."""
    request_logs: int
    """Requests whose logged bodies were removed."""
    idempotency_records: int
    """Stored responses that were removed."""


class ErasureReceipt(Model):
    """What proves the erasure: a signed entry in the organization's audit log. Null until then."""
    audit_sequence: int
    """The number of the entry in the audit log."""
    signature: str
    """An HMAC-SHA-256 over the entry and the one before it, in hexadecimal digits."""
    key_id: str
    """The key that it was made with."""
    signed_at: datetime
    """When it was signed."""


class Erasure(Model):
    """The removal of everything that is personal about a customer."""
    id: str
    """The id of the erasure."""
    customer_id: str
    """The id of the customer."""
    status: Union[Literal["PENDING", "COMPLETED"], str]
    removed: ErasureRemoved
    """What was removed so far."""
    receipt: Optional[ErasureReceipt] = None
    """What proves the erasure: a signed entry in the organization's audit log. Null until then."""
    created_at: datetime
    """When it was requested."""
    completed_at: Optional[datetime] = None
    """When everything was removed."""


class EventTypeInfo(Model):
    """A type of event, with its schema and an example."""
    type: Union[Literal["conversation.created", "conversation.updated", "conversation.status_changed", "conversation.deleted", "message.received", "message.sent", "message.redacted", "customer.created", "customer.updated", "customer.deleted", "customer.erased", "agent.created", "agent.updated", "agent.published", "agent.deleted", "knowledge_base.created", "knowledge_base.updated", "knowledge_base.deleted", "document.created", "document.updated", "document.ready", "document.failed", "document.deleted", "webhook.disabled", "webhook.test"], str]
    description: str
    """When the event is raised."""
    schema_: Dict[str, Any] = Field(alias="schema")
    """The event as a JSON Schema, draft 2020-12."""
    example: Event
    """An event of this type."""


class EventTypeInfoPage(Model):
    data: List[EventTypeInfo]
    """Every type of event."""


class File(Model):
    """A file to attach to a message. Deleted after 24 hours if no message has it."""
    id: str
    """The id of the file."""
    environment: Union[Literal["live", "test"], str]
    name: str
    """The name that the file is downloaded with."""
    content_type: str
    """The type by the file's content, whatever its name says. `application/octet-stream` if it is none that Parlance recognizes."""
    size_bytes: int
    """The file's size, in bytes."""
    sha256: str
    """The file's SHA-256 digest, in hexadecimal."""
    message_id: Optional[str] = None
    """The message that the file is attached to."""
    url: Optional[str] = None
    """A link to download the file, for anyone who has it. PNG, JPEG, GIF and WebP images can be shown in a page. Null in events, because a stored link would expire."""
    url_expires_at: Optional[datetime] = None
    """When the link stops working: 5 minutes after the response. Null without a link."""
    created_at: datetime
    """When it was created."""


class FoundConversation(Model):
    """A conversation that matches a search."""
    conversation: Conversation
    highlights: List[SearchHighlight]
    """The fields and up to three messages with words of the query, best first."""
    score: Union[int, float]
    """From 0 to 1. Whole words count more than starts of words, words next to each other more than separate ones, and the subject and the customer more than messages."""


class KnowledgeBaseDocumentCounts(Model):
    """How many documents the knowledge base has, by status."""
    pending: int
    """Documents that wait to be read."""
    processing: int
    """Documents that are being read."""
    ready: int
    """Documents that a search finds."""
    failed: int
    """Documents that could not be read."""


class KnowledgeBase(Model):
    """Documents that your programs search together."""
    id: str
    """The id of the knowledge base."""
    environment: Union[Literal["live", "test"], str]
    name: str
    """The knowledge base's name. Unique in the environment."""
    description: Optional[str] = None
    """What the documents are about."""
    language: Optional[Union[Literal["da", "de", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ro", "ru", "sv", "tr"], str]] = None
    """The language of the documents. A search then finds every form of a word, and ignores the most common words. Without it, words match only as they are written. It cannot be changed later."""
    document_counts: KnowledgeBaseDocumentCounts
    """How many documents the knowledge base has, by status."""
    size_bytes: int
    """The size of all files together, in bytes."""
    metadata: Dict[str, Union[str, int, float, bool]]
    created_at: datetime
    """When it was created."""
    updated_at: datetime
    """When it was last changed."""


class KnowledgeBaseCreatedEventData(Model):
    """What the event is about."""
    object: KnowledgeBase


class KnowledgeBaseCreatedEventRequest(Model):
    """The API request that caused the event, or null if none did."""
    id: str
    """The id of the request."""
    idempotency_key: Optional[str] = None
    """The `Idempotency-Key` of the request."""


class KnowledgeBaseCreatedEvent(Model):
    id: str
    """The id of the event."""
    type: Literal["knowledge_base.created"]
    """What happened."""
    api_version: Literal["v1"]
    """The API version of the object's format."""
    environment: Union[Literal["live", "test"], str]
    timestamp: datetime
    """When it happened."""
    data: KnowledgeBaseCreatedEventData
    """What the event is about."""
    request: Optional[KnowledgeBaseCreatedEventRequest] = None
    """The API request that caused the event, or null if none did."""
    redacted: Optional[Literal[True]] = None
    """Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null."""


class KnowledgeBaseDeletedEventDataObject(Model):
    """The id of the knowledge base."""
    id: str
    """The id of the knowledge base."""
    environment: Union[Literal["live", "test"], str]


class KnowledgeBaseDeletedEventData(Model):
    """What the event is about."""
    object: KnowledgeBaseDeletedEventDataObject
    """The id of the knowledge base."""


class KnowledgeBaseDeletedEventRequest(Model):
    """The API request that caused the event, or null if none did."""
    id: str
    """The id of the request."""
    idempotency_key: Optional[str] = None
    """The `Idempotency-Key` of the request."""


class KnowledgeBaseDeletedEvent(Model):
    id: str
    """The id of the event."""
    type: Literal["knowledge_base.deleted"]
    """What happened."""
    api_version: Literal["v1"]
    """The API version of the object's format."""
    environment: Union[Literal["live", "test"], str]
    timestamp: datetime
    """When it happened."""
    data: KnowledgeBaseDeletedEventData
    """What the event is about."""
    request: Optional[KnowledgeBaseDeletedEventRequest] = None
    """The API request that caused the event, or null if none did."""
    redacted: Optional[Literal[True]] = None
    """Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null."""


class KnowledgeBaseUpdatedEventDataPreviousAttributesDocumentCounts(Model):
    """How many documents the knowledge base has, by status."""
    pending: int
    """Documents that wait to be read."""
    processing: int
    """Documents that are being read."""
    ready: int
    """Documents that a search finds."""
    failed: int
    """Documents that could not be read."""


class KnowledgeBaseUpdatedEventDataPreviousAttributes(Model):
    """The previous values of the fields that changed."""
    id: Optional[str] = None
    """The id of the knowledge base."""
    environment: Optional[Union[Literal["live", "test"], str]] = None
    name: Optional[str] = None
    """The knowledge base's name. Unique in the environment."""
    description: Optional[str] = None
    """What the documents are about."""
    language: Optional[Union[Literal["da", "de", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ro", "ru", "sv", "tr"], str]] = None
    """The language of the documents. A search then finds every form of a word, and ignores the most common words. Without it, words match only as they are written. It cannot be changed later."""
    document_counts: Optional[KnowledgeBaseUpdatedEventDataPreviousAttributesDocumentCounts] = None
    """How many documents the knowledge base has, by status."""
    size_bytes: Optional[int] = None
    """The size of all files together, in bytes."""
    metadata: Optional[Dict[str, Union[str, int, float, bool]]] = None
    created_at: Optional[datetime] = None
    """When it was created."""
    updated_at: Optional[datetime] = None
    """When it was last changed."""


class KnowledgeBaseUpdatedEventData(Model):
    """What the event is about."""
    object: KnowledgeBase
    previous_attributes: Optional[KnowledgeBaseUpdatedEventDataPreviousAttributes] = None
    """The previous values of the fields that changed."""


class KnowledgeBaseUpdatedEventRequest(Model):
    """The API request that caused the event, or null if none did."""
    id: str
    """The id of the request."""
    idempotency_key: Optional[str] = None
    """The `Idempotency-Key` of the request."""


class KnowledgeBaseUpdatedEvent(Model):
    id: str
    """The id of the event."""
    type: Literal["knowledge_base.updated"]
    """What happened."""
    api_version: Literal["v1"]
    """The API version of the object's format."""
    environment: Union[Literal["live", "test"], str]
    timestamp: datetime
    """When it happened."""
    data: KnowledgeBaseUpdatedEventData
    """What the event is about."""
    request: Optional[KnowledgeBaseUpdatedEventRequest] = None
    """The API request that caused the event, or null if none did."""
    redacted: Optional[Literal[True]] = None
    """Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null."""


class KnowledgeHit(Model):
    """A part of a document that matches a search."""
    knowledge_base_id: str
    """The id of the knowledge base."""
    document_id: str
    """The id of the document."""
    name: str
    """The document's name."""
    position: int
    """The number of the part in its document, from 0."""
    text: str
    """The part of the document, as plain text."""
    ranges: List[List[int]]
    """Where the words of the query are in `text`: JavaScript's `text.slice(start, end)` for each range."""
    before: List[str]
    """The parts before it, in their order. Each part may repeat the last sentence of the one before."""
    after: List[str]
    """The parts after it, in their order."""
    score: Union[int, float]
    """From 0 to 1, the best first. Comparable only within one response."""


class KnowledgeHitPage(Model):
    data: List[KnowledgeHit]
    """The parts that match, best first."""


class Member(Model):
    """A user who works with your conversations in the dashboard."""
    id: str
    """The id of the member."""
    name: str
    """The member's name."""
    role: Union[Literal["OWNER", "ADMIN", "MEMBER", "VIEWER"], str]


class MessageAuthor(Model):
    """The author when the message was posted. Later changes to the customer do not change it."""
    type: Union[Literal["CUSTOMER", "USER", "AGENT", "API", "SYSTEM"], str]
    id: Optional[str] = None
    """The id of the author: any value of your own, or the id of a customer, member or agent."""
    name: Optional[str] = None
    """The name to show for the author."""


class Message(Model):
    """A message of a conversation."""
    id: str
    """The id of the message."""
    environment: Union[Literal["live", "test"], str]
    conversation_id: str
    """The id of the conversation."""
    sequence: int
    """1, 2, 3… within its conversation. `createdAt` never decreases along it; ids need not follow it."""
    direction: Union[Literal["INBOUND", "OUTBOUND", "INTERNAL"], str]
    author: MessageAuthor
    """The author when the message was posted. Later changes to the customer do not change it."""
    text: str
    """The message as plain text. Empty if there are only attachments."""
    attachments: List[Attachment]
    """The files of the message."""
    external_id: Optional[str] = None
    """Your own id for the message."""
    metadata: Dict[str, Union[str, int, float, bool]]
    created_at: datetime
    """When it was posted. Never earlier than the message before it."""
    redacted_at: Optional[datetime] = None
    """When its content was removed. `text` is then empty."""


class MessageReceivedEventData(Model):
    """What the event is about."""
    object: Message
    agent_id: Optional[str] = None
    """The id of the agent."""
    agent_version: Optional[int] = None
    """The agent's published version, in `message.received`."""


class MessageReceivedEventRequest(Model):
    """The API request that caused the event, or null if none did."""
    id: str
    """The id of the request."""
    idempotency_key: Optional[str] = None
    """The `Idempotency-Key` of the request."""


class MessageReceivedEvent(Model):
    id: str
    """The id of the event."""
    type: Literal["message.received"]
    """What happened."""
    api_version: Literal["v1"]
    """The API version of the object's format."""
    environment: Union[Literal["live", "test"], str]
    timestamp: datetime
    """When it happened."""
    data: MessageReceivedEventData
    """What the event is about."""
    request: Optional[MessageReceivedEventRequest] = None
    """The API request that caused the event, or null if none did."""
    redacted: Optional[Literal[True]] = None
    """Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null."""


class MessageRedactedEventDataObject(Model):
    """The ids of the message and its conversation."""
    id: str
    """The id of the message."""
    environment: Union[Literal["live", "test"], str]
    conversation_id: str
    """The id of the conversation."""
    redacted_at: datetime
    """When its content was removed."""


class MessageRedactedEventData(Model):
    """What the event is about."""
    object: MessageRedactedEventDataObject
    """The ids of the message and its conversation."""


class MessageRedactedEventRequest(Model):
    """The API request that caused the event, or null if none did."""
    id: str
    """The id of the request."""
    idempotency_key: Optional[str] = None
    """The `Idempotency-Key` of the request."""


class MessageRedactedEvent(Model):
    id: str
    """The id of the event."""
    type: Literal["message.redacted"]
    """What happened."""
    api_version: Literal["v1"]
    """The API version of the object's format."""
    environment: Union[Literal["live", "test"], str]
    timestamp: datetime
    """When it happened."""
    data: MessageRedactedEventData
    """What the event is about."""
    request: Optional[MessageRedactedEventRequest] = None
    """The API request that caused the event, or null if none did."""
    redacted: Optional[Literal[True]] = None
    """Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null."""


class MessageSentEventData(Model):
    """What the event is about."""
    object: Message


class MessageSentEventRequest(Model):
    """The API request that caused the event, or null if none did."""
    id: str
    """The id of the request."""
    idempotency_key: Optional[str] = None
    """The `Idempotency-Key` of the request."""


class MessageSentEvent(Model):
    id: str
    """The id of the event."""
    type: Literal["message.sent"]
    """What happened."""
    api_version: Literal["v1"]
    """The API version of the object's format."""
    environment: Union[Literal["live", "test"], str]
    timestamp: datetime
    """When it happened."""
    data: MessageSentEventData
    """What the event is about."""
    request: Optional[MessageSentEventRequest] = None
    """The API request that caused the event, or null if none did."""
    redacted: Optional[Literal[True]] = None
    """Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null."""


class Recovery(Model):
    """How many deliveries are recovered."""
    count: int
    """Deliveries that are sent again, or would be."""


class Replay(Model):
    """How many events are replayed."""
    count: int
    """Events that are sent, or would be."""
    is_more: bool
    """More events than `count` may be sent: of a webhook with a filter, only the first 20,000 of the period are counted."""


class RequestLog(Model):
    """A request to the API, without its bodies."""
    id: str
    """The `X-Request-Id` of the response."""
    environment: Union[Literal["live", "test"], str]
    api_key_id: str
    """The key that the request was sent with."""
    method: str
    """The HTTP method of the request."""
    path: str
    """The path with its query. Secrets in it are masked."""
    status: int
    """The status of the response."""
    duration_ms: int
    """How long the response took, in milliseconds."""
    error_kind: Optional[str] = None
    """The kind of error: the last part of the problem's `type`."""
    idempotency_key: Optional[str] = None
    """The `Idempotency-Key` of the request."""
    address: Optional[str] = None
    """The client's network address."""
    user_agent: Optional[str] = None
    """The `User-Agent` of the request."""
    is_replay: bool
    """Whether the response is that of an earlier request with the same `Idempotency-Key`."""
    created_at: datetime
    """When the request arrived."""


class RequestLogWithBodies(Model):
    """A request to the API, with its bodies."""
    id: str
    """The `X-Request-Id` of the response."""
    environment: Union[Literal["live", "test"], str]
    api_key_id: str
    """The key that the request was sent with."""
    method: str
    """The HTTP method of the request."""
    path: str
    """The path with its query. Secrets in it are masked."""
    status: int
    """The status of the response."""
    duration_ms: int
    """How long the response took, in milliseconds."""
    error_kind: Optional[str] = None
    """The kind of error: the last part of the problem's `type`."""
    idempotency_key: Optional[str] = None
    """The `Idempotency-Key` of the request."""
    address: Optional[str] = None
    """The client's network address."""
    user_agent: Optional[str] = None
    """The `User-Agent` of the request."""
    is_replay: bool
    """Whether the response is that of an earlier request with the same `Idempotency-Key`."""
    created_at: datetime
    """When the request arrived."""
    request_body: Optional[str] = None
    """The first 16 KB of the request's body if it was JSON, with secrets masked. Null otherwise."""
    response_body: Optional[str] = None
    """The first 16 KB of the response's body, with secrets masked. Null for a successful read."""


class SearchHighlight(Model):
    """A part of a conversation with words of a query."""
    field: Union[Literal["subject", "message", "customer.name", "customer.email", "customer.phone", "customer.externalId"], str]
    message_id: Optional[str] = None
    """The message, if it is one."""
    text: str
    """The field as plain text. Of a long message, the part around the first word that was found; … marks what is left out."""
    ranges: List[List[int]]
    """Where the words are in `text`: JavaScript's `text.slice(start, end)` for each range."""


class SearchResult(Model):
    """A document that matches a search."""
    document_id: str
    """The id of the document."""
    name: str
    """The document's name."""
    text: str
    """The part of the document that fits best, as plain text."""
    ranges: List[List[int]]
    """Where the words of the query are in `text`: JavaScript's `text.slice(start, end)` for each range."""
    score: Union[int, float]
    """From 0 to 1, the best first. Comparable only within one response."""
    excerpt: str
    """`text` as escaped HTML with `<mark>` around the ranges. For web pages only: a program uses `text`."""


class SearchResultPage(Model):
    data: List[SearchResult]
    """The documents that match, best first."""


class UsagePeriod(Model):
    """The days that are counted."""
    start: str
    """The first day of the period (UTC)."""
    end: str
    """The last day of the period (UTC), which is included."""


class UsageTotals(Model):
    """The figures of the whole period."""
    api_requests: int
    """Requests with a valid key, except those beyond its rate limit. Counted within a second or two."""
    conversations_created: int
    """Conversations that were created."""
    messages_received: int
    """Messages whose direction is `INBOUND`."""
    messages_sent: int
    """Messages whose direction is `OUTBOUND`."""
    documents_stored: int
    """Documents that existed at the end and have not been deleted since."""
    files_stored: int
    """Files that existed at the end and have not been deleted since."""
    storage_bytes: int
    """The size of those documents and files together, in bytes."""
    webhook_deliveries: int
    """Attempts to call a webhook, including retries."""
    webhook_failures: int
    """Attempts to call a webhook that failed."""


class UsageSeries(Model):
    date: str
    """The day (UTC) of these figures."""
    api_requests: int
    """Requests with a valid key, except those beyond its rate limit. Counted within a second or two."""
    conversations_created: int
    """Conversations that were created."""
    messages_received: int
    """Messages whose direction is `INBOUND`."""
    messages_sent: int
    """Messages whose direction is `OUTBOUND`."""
    documents_stored: int
    """Documents that existed at the end and have not been deleted since."""
    files_stored: int
    """Files that existed at the end and have not been deleted since."""
    storage_bytes: int
    """The size of those documents and files together, in bytes."""
    webhook_deliveries: int
    """Attempts to call a webhook, including retries."""
    webhook_failures: int
    """Attempts to call a webhook that failed."""


class Usage(Model):
    """What the account used in a period."""
    environment: Union[Literal["live", "test"], str]
    billable: bool
    """Whether this usage is billed. Always false in test."""
    period: UsagePeriod
    """The days that are counted."""
    totals: UsageTotals
    """The figures of the whole period."""
    series: List[UsageSeries]
    """The figures of each day of the period until today."""


class Webhook(Model):
    """A receiver of events."""
    id: str
    """The id of the webhook."""
    environment: Union[Literal["live", "test"], str]
    url: str
    """Where events are sent: https, or http in test. Private addresses are refused."""
    description: Optional[str] = None
    """What the webhook is for."""
    events: List[str]
    """Names from the event catalog, a family such as `conversation.*`, or `*` for all."""
    filter: Optional[WebhookFilter] = None
    """Which conversations' events are sent, or null for all of them."""
    header_names: List[str]
    """The names of the custom headers. Their values are never returned."""
    max_per_second: Optional[int] = None
    """The maximum number of attempts that start within any second, with tests and resends. Null for no limit. Deliveries that wait use up no attempts."""
    ordering: Union[Literal["none", "conversation"], str]
    on_exhausted: Union[Literal["continue", "hold"], str]
    signature_scheme: Union[Literal["hmac", "ed25519", "both"], str]
    accepts_replies: bool
    """Whether a successful response to `message.received` can contain a reply: `{"reply": {"text": "…"}}` is posted once to the conversation, as a message of its agent."""
    status: Union[Literal["ENABLED", "DISABLED"], str]
    disabled_reason: Optional[Union[Literal["MANUAL", "CONSECUTIVE_FAILURES", "GONE", "UNCONFIRMED"], str]] = None
    """Why it is disabled, or null if it is enabled."""
    disabled_at: Optional[datetime] = None
    """When it became `DISABLED`; null while it is enabled."""
    consecutive_failures: int
    """Automatic attempts that failed since the last success. At 100 the webhook is disabled."""
    last_success_at: Optional[datetime] = None
    """When an attempt last succeeded."""
    last_failure_at: Optional[datetime] = None
    """When an attempt last failed."""
    secret_hint: str
    """The last characters of the signing secret."""
    previous_secret_expires_at: Optional[datetime] = None
    """When the previous secret stops signing."""
    public_keys: List[str]
    """The keys that verify `v1a` signatures, newest first: two during a rotation, none with `hmac`. Also at `/.well-known/webhook-keys/{webhookId}`, as a JSON Web Key Set."""
    metadata: Dict[str, Union[str, int, float, bool]]
    created_at: datetime
    """When it was created."""
    updated_at: datetime
    """When it was last changed."""


class WebhookDisabledEventData(Model):
    """What the event is about."""
    object: Webhook


class WebhookDisabledEventRequest(Model):
    """The API request that caused the event, or null if none did."""
    id: str
    """The id of the request."""
    idempotency_key: Optional[str] = None
    """The `Idempotency-Key` of the request."""


class WebhookDisabledEvent(Model):
    id: str
    """The id of the event."""
    type: Literal["webhook.disabled"]
    """What happened."""
    api_version: Literal["v1"]
    """The API version of the object's format."""
    environment: Union[Literal["live", "test"], str]
    timestamp: datetime
    """When it happened."""
    data: WebhookDisabledEventData
    """What the event is about."""
    request: Optional[WebhookDisabledEventRequest] = None
    """The API request that caused the event, or null if none did."""
    redacted: Optional[Literal[True]] = None
    """Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null."""


class WebhookFilter(Model):
    """Sends only events about conversations and messages whose conversation matches every field. A field takes one value or a list, of which one has to match. Events about anything else are not filtered."""
    channel_id: Optional[Union[str, List[str]]] = None
    """The conversation's channel."""
    tags: Optional[Union[str, List[str]]] = None
    """A tag of the conversation. With a list, one of its tags must be in the list."""
    priority: Optional[Union[Union[Literal["LOW", "NORMAL", "HIGH", "URGENT"], str], List[Union[Literal["LOW", "NORMAL", "HIGH", "URGENT"], str]]]] = None
    """The conversation's priority."""
    assignee_id: Optional[Union[Optional[str], List[Optional[str]]]] = None
    """The member who is assigned to the conversation. Null is for conversations without one."""
    agent_id: Optional[Union[Optional[str], List[Optional[str]]]] = None
    """The conversation's agent. Null is for conversations without one."""


class WebhookTestEventData(Model):
    """What the event is about."""
    object: Webhook
    example: Optional[Dict[str, Any]] = None
    """The event that was sent instead, in a test of another type."""


class WebhookTestEventRequest(Model):
    """The API request that caused the event, or null if none did."""
    id: str
    """The id of the request."""
    idempotency_key: Optional[str] = None
    """The `Idempotency-Key` of the request."""


class WebhookTestEvent(Model):
    id: str
    """The id of the event."""
    type: Literal["webhook.test"]
    """What happened."""
    api_version: Literal["v1"]
    """The API version of the object's format."""
    environment: Union[Literal["live", "test"], str]
    timestamp: datetime
    """When it happened."""
    data: WebhookTestEventData
    """What the event is about."""
    request: Optional[WebhookTestEventRequest] = None
    """The API request that caused the event, or null if none did."""
    redacted: Optional[Literal[True]] = None
    """Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null."""


class WebhookWithSecret(Model):
    """A receiver of events, with its signing secret."""
    id: str
    """The id of the webhook."""
    environment: Union[Literal["live", "test"], str]
    url: str
    """Where events are sent: https, or http in test. Private addresses are refused."""
    description: Optional[str] = None
    """What the webhook is for."""
    events: List[str]
    """Names from the event catalog, a family such as `conversation.*`, or `*` for all."""
    filter: Optional[WebhookFilter] = None
    """Which conversations' events are sent, or null for all of them."""
    header_names: List[str]
    """The names of the custom headers. Their values are never returned."""
    max_per_second: Optional[int] = None
    """The maximum number of attempts that start within any second, with tests and resends. Null for no limit. Deliveries that wait use up no attempts."""
    ordering: Union[Literal["none", "conversation"], str]
    on_exhausted: Union[Literal["continue", "hold"], str]
    signature_scheme: Union[Literal["hmac", "ed25519", "both"], str]
    accepts_replies: bool
    """Whether a successful response to `message.received` can contain a reply: `{"reply": {"text": "…"}}` is posted once to the conversation, as a message of its agent."""
    status: Union[Literal["ENABLED", "DISABLED"], str]
    disabled_reason: Optional[Union[Literal["MANUAL", "CONSECUTIVE_FAILURES", "GONE", "UNCONFIRMED"], str]] = None
    """Why it is disabled, or null if it is enabled."""
    disabled_at: Optional[datetime] = None
    """When it became `DISABLED`; null while it is enabled."""
    consecutive_failures: int
    """Automatic attempts that failed since the last success. At 100 the webhook is disabled."""
    last_success_at: Optional[datetime] = None
    """When an attempt last succeeded."""
    last_failure_at: Optional[datetime] = None
    """When an attempt last failed."""
    secret_hint: str
    """The last characters of the signing secret."""
    previous_secret_expires_at: Optional[datetime] = None
    """When the previous secret stops signing."""
    public_keys: List[str]
    """The keys that verify `v1a` signatures, newest first: two during a rotation, none with `hmac`. Also at `/.well-known/webhook-keys/{webhookId}`, as a JSON Web Key Set."""
    metadata: Dict[str, Union[str, int, float, bool]]
    created_at: datetime
    """When it was created."""
    updated_at: datetime
    """When it was last changed."""
    secret: str
    """The signing secret. Shown only once."""


Event = Union[
    ConversationCreatedEvent,
    ConversationUpdatedEvent,
    ConversationStatusChangedEvent,
    ConversationDeletedEvent,
    MessageReceivedEvent,
    MessageSentEvent,
    MessageRedactedEvent,
    CustomerCreatedEvent,
    CustomerUpdatedEvent,
    CustomerDeletedEvent,
    CustomerErasedEvent,
    AgentCreatedEvent,
    AgentUpdatedEvent,
    AgentPublishedEvent,
    AgentDeletedEvent,
    KnowledgeBaseCreatedEvent,
    KnowledgeBaseUpdatedEvent,
    KnowledgeBaseDeletedEvent,
    DocumentCreatedEvent,
    DocumentUpdatedEvent,
    DocumentReadyEvent,
    DocumentFailedEvent,
    DocumentDeletedEvent,
    WebhookDisabledEvent,
    WebhookTestEvent,
    UnknownEvent,
]
"""Everything that a webhook can receive. `type` says which."""

EVENT_MODELS: Dict[str, Type[Model]] = {
    "conversation.created": ConversationCreatedEvent,
    "conversation.updated": ConversationUpdatedEvent,
    "conversation.status_changed": ConversationStatusChangedEvent,
    "conversation.deleted": ConversationDeletedEvent,
    "message.received": MessageReceivedEvent,
    "message.sent": MessageSentEvent,
    "message.redacted": MessageRedactedEvent,
    "customer.created": CustomerCreatedEvent,
    "customer.updated": CustomerUpdatedEvent,
    "customer.deleted": CustomerDeletedEvent,
    "customer.erased": CustomerErasedEvent,
    "agent.created": AgentCreatedEvent,
    "agent.updated": AgentUpdatedEvent,
    "agent.published": AgentPublishedEvent,
    "agent.deleted": AgentDeletedEvent,
    "knowledge_base.created": KnowledgeBaseCreatedEvent,
    "knowledge_base.updated": KnowledgeBaseUpdatedEvent,
    "knowledge_base.deleted": KnowledgeBaseDeletedEvent,
    "document.created": DocumentCreatedEvent,
    "document.updated": DocumentUpdatedEvent,
    "document.ready": DocumentReadyEvent,
    "document.failed": DocumentFailedEvent,
    "document.deleted": DocumentDeletedEvent,
    "webhook.disabled": WebhookDisabledEvent,
    "webhook.test": WebhookTestEvent,
}
