# Generated from the OpenAPI document by `npm run sdk:types`. Change the API's route declarations instead.

from __future__ import annotations

from datetime import datetime
from typing import Any, AsyncIterator, Iterator, Literal, Mapping, Optional, Sequence, Union

from .._events import parse_event
from .._pages import AsyncPages, Pages
from .._transport import NOT_GIVEN, AsyncTransport, FileSource, NotGiven, Transport
from . import models, params


class ConversationsMessagesResource:
    def __init__(self, client: Transport) -> None:
        self._client = client

    def list(
        self,
        conversation_id: str,
        *,
        cursor: Union[str, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        order: Union[Literal["asc", "desc"], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Pages[models.Message]:
        """List the messages of a conversation, oldest first.

        Needs the scope `read:conversations`.

        Args:
            cursor: `nextCursor` of the previous page.
            limit: Items per page: 1 to 100. A larger number is read as 100.
            order: By creation: `asc` oldest first, `desc` newest first.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._list("GET", "/conversations/{conversationId}/messages", models.Message.model_validate, path={"conversationId": conversation_id}, query={"cursor": cursor, "limit": limit, "order": order}, timeout=timeout, max_retries=max_retries)

    def create(
        self,
        conversation_id: str,
        *,
        text: Union[str, NotGiven] = NOT_GIVEN,
        attachments: Union[Sequence[str], NotGiven] = NOT_GIVEN,
        author: Union[params.PostMessageBodyAuthor, NotGiven] = NOT_GIVEN,
        direction: Union[Literal["INBOUND", "OUTBOUND", "INTERNAL"], NotGiven] = NOT_GIVEN,
        external_id: Union[Optional[str], NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Union[str, float, bool]], NotGiven] = NOT_GIVEN,
        on_closed: Union[Literal["reopen", "new"], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Message:
        """Post a message to a conversation.

        Needs the scope `write:conversations`.

        Args:
            text: The message as plain text. May be missing or empty if the message has attachments.
            attachments: The ids of files from `POST /files`, in the order to show them. A file can be attached once.
            author: Default: `CUSTOMER`. A customer without an `id` is the conversation's customer, with that id and name.
            direction: `INTERNAL` makes it a note. Otherwise the direction follows from the author and may be left out.
            external_id: Your own id for the message.
            idempotency_key: Makes the change once. Default: a new UUID.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("POST", "/conversations/{conversationId}/messages", models.Message.model_validate, path={"conversationId": conversation_id}, body={"text": text, "attachments": attachments, "author": author, "direction": direction, "externalId": external_id, "metadata": metadata, "onClosed": on_closed}, idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)

    def get(
        self,
        conversation_id: str,
        message_id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Message:
        """Get a message.

        Needs the scope `read:conversations`.

        Args:
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("GET", "/conversations/{conversationId}/messages/{messageId}", models.Message.model_validate, path={"conversationId": conversation_id, "messageId": message_id}, timeout=timeout, max_retries=max_retries)

    def delete(
        self,
        conversation_id: str,
        message_id: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Message:
        """Redact a message.

        Removes the message's text, metadata and attachments. The message keeps its place: its id, sequence, author and times, with `redactedAt`. Its event is redacted too, and so is its preview in the conversation's events, and deliveries that were not sent yet have the redacted events. The log of the request that posted it is cleared after some seconds. Redacting it again changes nothing.

        Needs the scope `write:conversations`.

        Args:
            idempotency_key: Makes the change once. Default: a new UUID.
            if_match: The `etag` of the version that you have read, or `*`. None is refused.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("DELETE", "/conversations/{conversationId}/messages/{messageId}", models.Message.model_validate, path={"conversationId": conversation_id, "messageId": message_id}, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout, max_retries=max_retries)


class ConversationsResource:
    def __init__(self, client: Transport) -> None:
        self._client = client
        self.messages = ConversationsMessagesResource(client)

    def list(
        self,
        *,
        cursor: Union[str, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        order: Union[Literal["asc", "desc"], NotGiven] = NOT_GIVEN,
        status: Union[Union[Sequence[Literal["OPEN", "PENDING", "SNOOZED", "RESOLVED", "CLOSED"]], Literal["OPEN", "PENDING", "SNOOZED", "RESOLVED", "CLOSED"]], NotGiven] = NOT_GIVEN,
        channel_id: Union[str, NotGiven] = NOT_GIVEN,
        customer_id: Union[str, NotGiven] = NOT_GIVEN,
        agent_id: Union[str, NotGiven] = NOT_GIVEN,
        assignee_id: Union[str, NotGiven] = NOT_GIVEN,
        external_id: Union[str, NotGiven] = NOT_GIVEN,
        tag: Union[str, NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, str], NotGiven] = NOT_GIVEN,
        updated_since: Union[str, datetime, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Pages[models.Conversation]:
        """List conversations, newest first.

        Needs the scope `read:conversations`.

        Args:
            cursor: `nextCursor` of the previous page.
            limit: Items per page: 1 to 100. A larger number is read as 100.
            order: By creation: `asc` oldest first, `desc` newest first.
            status: One status or several, separated by commas.
            channel_id: Your own name for the channel; any value.
            customer_id: Only conversations of this customer.
            agent_id: Only conversations of this agent.
            assignee_id: Only conversations that are assigned to this member.
            external_id: Your own id for the conversation.
            tag: Only conversations with this tag.
            metadata: Only items with these values in `metadata`, such as `metadata[plan]=gold`. Numbers and booleans are compared as text.
            updated_since: Only conversations changed at this time or later. `updatedAt` is never earlier than the newest message.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._list("GET", "/conversations", models.Conversation.model_validate, query={"cursor": cursor, "limit": limit, "order": order, "status": status, "channelId": channel_id, "customerId": customer_id, "agentId": agent_id, "assigneeId": assignee_id, "externalId": external_id, "tag": tag, "metadata": metadata, "updatedSince": updated_since}, timeout=timeout, max_retries=max_retries)

    def create(
        self,
        *,
        channel_id: str,
        message: Union[str, params.CreateConversationBodyMessage, NotGiven] = NOT_GIVEN,
        customer_id: Union[Optional[str], NotGiven] = NOT_GIVEN,
        customer: Union[params.CreateConversationBodyCustomer, NotGiven] = NOT_GIVEN,
        agent_id: Union[Optional[str], NotGiven] = NOT_GIVEN,
        subject: Union[Optional[str], NotGiven] = NOT_GIVEN,
        priority: Union[Literal["LOW", "NORMAL", "HIGH", "URGENT"], NotGiven] = NOT_GIVEN,
        tags: Union[Sequence[str], NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Union[str, float, bool]], NotGiven] = NOT_GIVEN,
        external_id: Union[Optional[str], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Conversation:
        """Create a conversation, optionally with a first message.

        Needs the scope `write:conversations`.

        Args:
            channel_id: Your own name for the channel; any value.
            message: The first message: its text, or an object.
            customer_id: The id of the customer.
            customer: A customer to create with the conversation. If a customer with this `externalId` exists, it is used unchanged and the other fields are ignored.
            agent_id: The id of the agent.
            subject: What the conversation is about.
            tags: Your own labels, each at most once.
            external_id: Your own id for the conversation.
            idempotency_key: Makes the change once. Default: a new UUID.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("POST", "/conversations", models.Conversation.model_validate, body={"channelId": channel_id, "message": message, "customerId": customer_id, "customer": customer, "agentId": agent_id, "subject": subject, "priority": priority, "tags": tags, "metadata": metadata, "externalId": external_id}, idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)

    def search(
        self,
        *,
        q: str,
        sort: Union[Literal["ranked", "newest"], NotGiven] = NOT_GIVEN,
        cursor: Union[str, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        status: Union[Union[Sequence[Literal["OPEN", "PENDING", "SNOOZED", "RESOLVED", "CLOSED"]], Literal["OPEN", "PENDING", "SNOOZED", "RESOLVED", "CLOSED"]], NotGiven] = NOT_GIVEN,
        channel_id: Union[str, NotGiven] = NOT_GIVEN,
        customer_id: Union[str, NotGiven] = NOT_GIVEN,
        agent_id: Union[str, NotGiven] = NOT_GIVEN,
        assignee_id: Union[str, NotGiven] = NOT_GIVEN,
        external_id: Union[str, NotGiven] = NOT_GIVEN,
        tag: Union[str, NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, str], NotGiven] = NOT_GIVEN,
        updated_since: Union[str, datetime, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Pages[models.FoundConversation]:
        """Search conversations.

        Searches messages, notes included, subjects, and the name, email address, phone number and `externalId` of customers. All words must occur in one message, in the subject or in the customer's fields; those of the subject and the customer count for every message. New messages are found after about a second.

        Needs the scope `read:conversations`.

        Args:
            q: Words to find, all of them, each from the start of a word. Use "several words" for a phrase. Case and accents make no difference. At most 10 words and phrases.
            sort: `ranked`: best first, among the 250 newest conversations that match. `newest`: all conversations that match, newest first. A page compares at most 2,500 conversations with the filters; it can be short or empty and still have a `nextCursor`.
            cursor: `nextCursor` of the previous page.
            limit: Conversations per page: 1 to 50. A larger number is read as 50.
            status: One status or several, separated by commas.
            channel_id: Your own name for the channel; any value.
            customer_id: Only conversations of this customer.
            agent_id: Only conversations of this agent.
            assignee_id: Only conversations that are assigned to this member.
            external_id: Your own id for the conversation.
            tag: Only conversations with this tag.
            metadata: Only items with these values in `metadata`, such as `metadata[plan]=gold`. Numbers and booleans are compared as text.
            updated_since: Only conversations changed at this time or later. `updatedAt` is never earlier than the newest message.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._list("GET", "/conversations/search", models.FoundConversation.model_validate, query={"q": q, "sort": sort, "cursor": cursor, "limit": limit, "status": status, "channelId": channel_id, "customerId": customer_id, "agentId": agent_id, "assigneeId": assignee_id, "externalId": external_id, "tag": tag, "metadata": metadata, "updatedSince": updated_since}, timeout=timeout, max_retries=max_retries)

    def get(
        self,
        conversation_id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Conversation:
        """Get a conversation.

        Needs the scope `read:conversations`.

        Args:
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("GET", "/conversations/{conversationId}", models.Conversation.model_validate, path={"conversationId": conversation_id}, timeout=timeout, max_retries=max_retries)

    def update(
        self,
        conversation_id: str,
        *,
        status: Union[Literal["OPEN", "PENDING", "SNOOZED", "RESOLVED", "CLOSED"], NotGiven] = NOT_GIVEN,
        snoozed_until: Union[Optional[Union[str, datetime]], NotGiven] = NOT_GIVEN,
        customer_id: Union[Optional[str], NotGiven] = NOT_GIVEN,
        agent_id: Union[Optional[str], NotGiven] = NOT_GIVEN,
        assignee_id: Union[Optional[str], NotGiven] = NOT_GIVEN,
        subject: Union[Optional[str], NotGiven] = NOT_GIVEN,
        priority: Union[Literal["LOW", "NORMAL", "HIGH", "URGENT"], NotGiven] = NOT_GIVEN,
        tags: Union[Sequence[str], NotGiven] = NOT_GIVEN,
        add_tags: Union[Sequence[str], NotGiven] = NOT_GIVEN,
        remove_tags: Union[Sequence[str], NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Optional[Union[str, float, bool]]], NotGiven] = NOT_GIVEN,
        external_id: Union[Optional[str], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        if_match: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Conversation:
        """Change a conversation, for example its status.

        Needs the scope `write:conversations`.

        Args:
            snoozed_until: When a `SNOOZED` conversation reopens: in the future, at most one year ahead.
            customer_id: The id of the customer.
            agent_id: The id of the agent.
            assignee_id: The id of a member, from `GET /members`.
            subject: What the conversation is about.
            tags: Replaces all labels. Not together with `addTags` or `removeTags`.
            add_tags: Labels to add. Those that the conversation has already stay where they are. Labels that other requests add or remove at the same time are kept.
            remove_tags: Labels to remove. Those that the conversation does not have are ignored.
            external_id: Your own id for the conversation.
            idempotency_key: Makes the change once. Default: a new UUID.
            if_match: The `etag` of the version that you have read, or `*`. None is refused.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("PATCH", "/conversations/{conversationId}", models.Conversation.model_validate, path={"conversationId": conversation_id}, body={"status": status, "snoozedUntil": snoozed_until, "customerId": customer_id, "agentId": agent_id, "assigneeId": assignee_id, "subject": subject, "priority": priority, "tags": tags, "addTags": add_tags, "removeTags": remove_tags, "metadata": metadata, "externalId": external_id}, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout, max_retries=max_retries)

    def delete(
        self,
        conversation_id: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.DeleteConversationResult:
        """Delete a conversation and its messages.

        The conversation, its messages and their attachments are gone immediately, however many there are. Usage still counts them. Events about it stay in the feed for their time; to remove a person's data from events too, erase the customer.

        Needs the scope `write:conversations`.

        Args:
            idempotency_key: Makes the change once. Default: a new UUID.
            if_match: The `etag` of the version that you have read, or `*`. None is refused.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("DELETE", "/conversations/{conversationId}", models.DeleteConversationResult.model_validate, path={"conversationId": conversation_id}, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout, max_retries=max_retries)


class FilesResource:
    def __init__(self, client: Transport) -> None:
        self._client = client

    def create(
        self,
        *,
        file: Union[FileSource, NotGiven] = NOT_GIVEN,
        name: Union[str, NotGiven] = NOT_GIVEN,
        text: Union[str, NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.File:
        """Upload a file.

        Send a file of any type as `multipart/form-data`, at most 20 MiB, or text as JSON. Then post a message with its id in `attachments`. A file that no message has after 24 hours is deleted.

        Needs the scope `write:conversations`.

        Args:
            file: The file, in place of `text`: bytes, an open file, or a pair of name and one of them.
            name: The name that the file is downloaded with.
            text: The content of a text file, in place of an upload.
            idempotency_key: Makes the change once. Default: a new UUID.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("POST", "/files", models.File.model_validate, body={"name": name, "text": text}, file=file, idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)

    def get(
        self,
        file_id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.File:
        """Get a file, with a new link to download it.

        Needs the scope `read:conversations`.

        Args:
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("GET", "/files/{fileId}", models.File.model_validate, path={"fileId": file_id}, timeout=timeout, max_retries=max_retries)


class CustomersResource:
    def __init__(self, client: Transport) -> None:
        self._client = client

    def list(
        self,
        *,
        cursor: Union[str, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        order: Union[Literal["asc", "desc"], NotGiven] = NOT_GIVEN,
        q: Union[str, NotGiven] = NOT_GIVEN,
        email: Union[str, NotGiven] = NOT_GIVEN,
        phone: Union[str, NotGiven] = NOT_GIVEN,
        external_id: Union[str, NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Pages[models.Customer]:
        """List customers, newest first.

        Needs the scope `read:customers`.

        Args:
            cursor: `nextCursor` of the previous page.
            limit: Items per page: 1 to 100. A larger number is read as 100.
            order: By creation: `asc` oldest first, `desc` newest first.
            q: Words to find in `name`, `email`, `phone` and `externalId`, all of them. Each may be the start of a word. Use "several words" for a phrase. Case and accents make no difference.
            email: An email address, stored in lower case.
            phone: A phone number in E.164 format, such as +4930123456.
            external_id: Your own id for the customer. Unique in the environment.
            metadata: Only items with these values in `metadata`, such as `metadata[plan]=gold`. Numbers and booleans are compared as text.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._list("GET", "/customers", models.Customer.model_validate, query={"cursor": cursor, "limit": limit, "order": order, "q": q, "email": email, "phone": phone, "externalId": external_id, "metadata": metadata}, timeout=timeout, max_retries=max_retries)

    def create(
        self,
        *,
        external_id: Union[Optional[str], NotGiven] = NOT_GIVEN,
        name: Union[Optional[str], NotGiven] = NOT_GIVEN,
        email: Union[Optional[str], NotGiven] = NOT_GIVEN,
        phone: Union[Optional[str], NotGiven] = NOT_GIVEN,
        locale: Union[Optional[str], NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Union[str, float, bool]], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Customer:
        """Create a customer.

        Needs the scope `write:customers`.

        Args:
            external_id: Your own id for the customer. Unique in the environment.
            name: The customer's name.
            email: An email address, stored in lower case.
            phone: A phone number in E.164 format, such as +4930123456.
            locale: A BCP 47 language tag, such as de-AT.
            idempotency_key: Makes the change once. Default: a new UUID.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("POST", "/customers", models.Customer.model_validate, body={"externalId": external_id, "name": name, "email": email, "phone": phone, "locale": locale, "metadata": metadata}, idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)

    def get(
        self,
        customer_id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Customer:
        """Get a customer.

        Needs the scope `read:customers`.

        Args:
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("GET", "/customers/{customerId}", models.Customer.model_validate, path={"customerId": customer_id}, timeout=timeout, max_retries=max_retries)

    def update(
        self,
        customer_id: str,
        *,
        external_id: Union[Optional[str], NotGiven] = NOT_GIVEN,
        name: Union[Optional[str], NotGiven] = NOT_GIVEN,
        email: Union[Optional[str], NotGiven] = NOT_GIVEN,
        phone: Union[Optional[str], NotGiven] = NOT_GIVEN,
        locale: Union[Optional[str], NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Optional[Union[str, float, bool]]], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        if_match: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Customer:
        """Change a customer.

        Needs the scope `write:customers`.

        Args:
            external_id: Your own id for the customer. Unique in the environment.
            name: The customer's name.
            email: An email address, stored in lower case.
            phone: A phone number in E.164 format, such as +4930123456.
            locale: A BCP 47 language tag, such as de-AT.
            idempotency_key: Makes the change once. Default: a new UUID.
            if_match: The `etag` of the version that you have read, or `*`. None is refused.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("PATCH", "/customers/{customerId}", models.Customer.model_validate, path={"customerId": customer_id}, body={"externalId": external_id, "name": name, "email": email, "phone": phone, "locale": locale, "metadata": metadata}, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout, max_retries=max_retries)

    def delete(
        self,
        customer_id: str,
        *,
        cascade: Union[bool, NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        if_match: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.DeleteCustomerResult:
        """Delete a customer.

        A customer with conversations is not deleted: the response is 409 `in-use` with their number. With `cascade=true` they are deleted too, in the same transaction. To meet a person's request for erasure, erase the customer instead.

        Needs the scope `write:customers`.

        Args:
            cascade: Whether to delete the customer's conversations, too: at most 1,000.
            idempotency_key: Makes the change once. Default: a new UUID.
            if_match: The `etag` of the version that you have read, or `*`. None is refused.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("DELETE", "/customers/{customerId}", models.DeleteCustomerResult.model_validate, path={"customerId": customer_id}, query={"cascade": cascade}, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout, max_retries=max_retries)

    def upsert(
        self,
        external_id: str,
        *,
        name: Union[Optional[str], NotGiven] = NOT_GIVEN,
        email: Union[Optional[str], NotGiven] = NOT_GIVEN,
        phone: Union[Optional[str], NotGiven] = NOT_GIVEN,
        locale: Union[Optional[str], NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Optional[Union[str, float, bool]]], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        if_match: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Customer:
        """Create a customer, or change the one with this externalId.

        If no customer has this `externalId`, it creates one and returns 201. Otherwise it changes the given fields like `PATCH`, and returns 200. However many requests arrive at the same time, they create one customer.

        Needs the scope `write:customers`.

        Args:
            name: The customer's name.
            email: An email address, stored in lower case.
            phone: A phone number in E.164 format, such as +4930123456.
            locale: A BCP 47 language tag, such as de-AT.
            idempotency_key: Makes the change once. Default: a new UUID.
            if_match: The `etag` of the version that you have read, or `*`. None is refused.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("PUT", "/customers/by-external-id/{externalId}", models.Customer.model_validate, path={"externalId": external_id}, body={"name": name, "email": email, "phone": phone, "locale": locale, "metadata": metadata}, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout, max_retries=max_retries)

    def erase(
        self,
        customer_id: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Erasure:
        """Erase a customer.

        Removes everything personal about a customer. The customer's own fields are cleared immediately. In the background, it removes the content of their conversations and messages, attachments, events and what is stored of their deliveries, logged requests and stored responses. Ids, statuses, times and counts remain. Then it raises `customer.erased`, and an entry in the audit log certifies it. This cannot be undone. A request while an erasure is in progress returns that one; after it, a new erasure removes what was written since.

        Needs the scope `write:customers`.

        Args:
            idempotency_key: Makes the change once. Default: a new UUID.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("POST", "/customers/{customerId}/erase", models.Erasure.model_validate, path={"customerId": customer_id}, idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)


class ErasuresResource:
    def __init__(self, client: Transport) -> None:
        self._client = client

    def get(
        self,
        erasure_id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Erasure:
        """Get an erasure and its receipt.

        Needs the scope `read:customers`.

        Args:
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("GET", "/erasures/{erasureId}", models.Erasure.model_validate, path={"erasureId": erasure_id}, timeout=timeout, max_retries=max_retries)


class AgentsResource:
    def __init__(self, client: Transport) -> None:
        self._client = client

    def list(
        self,
        *,
        cursor: Union[str, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        order: Union[Literal["asc", "desc"], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Pages[models.Agent]:
        """List agents, newest first.

        Each agent is shown as its current draft, whether or not it is published.

        Needs the scope `read:agents`.

        Args:
            cursor: `nextCursor` of the previous page.
            limit: Items per page: 1 to 100. A larger number is read as 100.
            order: By creation: `asc` oldest first, `desc` newest first.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._list("GET", "/agents", models.Agent.model_validate, query={"cursor": cursor, "limit": limit, "order": order}, timeout=timeout, max_retries=max_retries)

    def create(
        self,
        *,
        name: str,
        description: Union[Optional[str], NotGiven] = NOT_GIVEN,
        model: Union[Optional[str], NotGiven] = NOT_GIVEN,
        instructions: Union[Optional[str], NotGiven] = NOT_GIVEN,
        greeting: Union[Optional[str], NotGiven] = NOT_GIVEN,
        temperature: Union[Optional[float], NotGiven] = NOT_GIVEN,
        knowledge_base_ids: Union[Sequence[str], NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Union[str, float, bool]], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Agent:
        """Create an agent as a draft.

        An agent is a configuration that your own program reads. Parlance does not run a model. Only a member can publish an agent, in the dashboard.

        Needs the scope `write:agents`.

        Args:
            name: The agent's name.
            description: What the agent is for.
            model: The model that your program asks, by any name of your own. Parlance runs no model.
            instructions: What your program tells the model.
            greeting: What your program says first.
            temperature: How much the model varies its replies.
            knowledge_base_ids: The knowledge bases your program searches for this agent, in the same environment.
            idempotency_key: Makes the change once. Default: a new UUID.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("POST", "/agents", models.Agent.model_validate, body={"name": name, "description": description, "model": model, "instructions": instructions, "greeting": greeting, "temperature": temperature, "knowledgeBaseIds": knowledge_base_ids, "metadata": metadata}, idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)

    def copy_from_test(
        self,
        *,
        agent_id: str,
        version: Union[str, NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Agent:
        """Copy an agent from test to live, as a draft.

        Needs a live key. Creates an agent with the content of the test agent's draft, or of a version. Knowledge bases are matched by name; those that live does not have are left out.

        Needs the scope `write:agents`.

        Args:
            agent_id: The id of an agent in test.
            version: What to show: the `draft`, the `published` version, or the version with this number.
            idempotency_key: Makes the change once. Default: a new UUID.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("POST", "/agents/copy-from-test", models.Agent.model_validate, body={"agentId": agent_id, "version": version}, idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)

    def get(
        self,
        agent_id: str,
        *,
        version: Union[str, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Agent:
        """Get an agent's draft or one of its versions.

        A program that replies uses `version=published`: members change that version only on purpose, by publishing the draft.

        Needs the scope `read:agents`.

        Args:
            version: What to show: the `draft`, the `published` version, or the version with this number.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("GET", "/agents/{agentId}", models.Agent.model_validate, path={"agentId": agent_id}, query={"version": version}, timeout=timeout, max_retries=max_retries)

    def update(
        self,
        agent_id: str,
        *,
        name: Union[str, NotGiven] = NOT_GIVEN,
        description: Union[Optional[str], NotGiven] = NOT_GIVEN,
        model: Union[Optional[str], NotGiven] = NOT_GIVEN,
        instructions: Union[Optional[str], NotGiven] = NOT_GIVEN,
        greeting: Union[Optional[str], NotGiven] = NOT_GIVEN,
        temperature: Union[Optional[float], NotGiven] = NOT_GIVEN,
        knowledge_base_ids: Union[Sequence[str], NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Optional[Union[str, float, bool]]], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        if_match: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Agent:
        """Change an agent's draft.

        The published version does not change until a member publishes the draft in the dashboard.

        Needs the scope `write:agents`.

        Args:
            name: The agent's name.
            description: What the agent is for.
            model: The model that your program asks, by any name of your own. Parlance runs no model.
            instructions: What your program tells the model.
            greeting: What your program says first.
            temperature: How much the model varies its replies.
            knowledge_base_ids: The knowledge bases your program searches for this agent, in the same environment.
            idempotency_key: Makes the change once. Default: a new UUID.
            if_match: The `etag` of the version that you have read, or `*`. None is refused.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("PATCH", "/agents/{agentId}", models.Agent.model_validate, path={"agentId": agent_id}, body={"name": name, "description": description, "model": model, "instructions": instructions, "greeting": greeting, "temperature": temperature, "knowledgeBaseIds": knowledge_base_ids, "metadata": metadata}, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout, max_retries=max_retries)

    def delete(
        self,
        agent_id: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.DeleteAgentResult:
        """Delete an agent that was never published.

        An agent that was published can be archived in the dashboard instead, because its versions stay readable.

        Needs the scope `write:agents`.

        Args:
            idempotency_key: Makes the change once. Default: a new UUID.
            if_match: The `etag` of the version that you have read, or `*`. None is refused.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("DELETE", "/agents/{agentId}", models.DeleteAgentResult.model_validate, path={"agentId": agent_id}, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout, max_retries=max_retries)

    def versions(
        self,
        agent_id: str,
        *,
        cursor: Union[str, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Pages[models.AgentVersion]:
        """List an agent's published versions, newest first.

        Needs the scope `read:agents`.

        Args:
            cursor: `nextCursor` of the previous page.
            limit: Items per page: 1 to 100. A larger number is read as 100.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._list("GET", "/agents/{agentId}/versions", models.AgentVersion.model_validate, path={"agentId": agent_id}, query={"cursor": cursor, "limit": limit}, timeout=timeout, max_retries=max_retries)


class KnowledgeBasesDocumentsResource:
    def __init__(self, client: Transport) -> None:
        self._client = client

    def list(
        self,
        knowledge_base_id: str,
        *,
        cursor: Union[str, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        order: Union[Literal["asc", "desc"], NotGiven] = NOT_GIVEN,
        status: Union[Union[Sequence[Literal["PENDING", "PROCESSING", "READY", "FAILED"]], Literal["PENDING", "PROCESSING", "READY", "FAILED"]], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Pages[models.Document]:
        """List a knowledge base's documents, newest first.

        Needs the scope `read:knowledge`.

        Args:
            cursor: `nextCursor` of the previous page.
            limit: Items per page: 1 to 100. A larger number is read as 100.
            order: By creation: `asc` oldest first, `desc` newest first.
            status: One status or several, separated by commas.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._list("GET", "/knowledge-bases/{knowledgeBaseId}/documents", models.Document.model_validate, path={"knowledgeBaseId": knowledge_base_id}, query={"cursor": cursor, "limit": limit, "order": order, "status": status}, timeout=timeout, max_retries=max_retries)

    def upload(
        self,
        knowledge_base_id: str,
        *,
        file: Union[FileSource, NotGiven] = NOT_GIVEN,
        name: Union[str, NotGiven] = NOT_GIVEN,
        text: Union[str, NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Union[str, float, bool]], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Document:
        """Upload a document.

        Send a file as `multipart/form-data` (txt, md, html, csv, json, pdf or docx, at most 20 MiB), or text as JSON. The document is `PENDING` until its text has been read; then it is `READY`, or `FAILED` with the reason.

        Needs the scope `write:knowledge`.

        Args:
            file: The file, in place of `text`: bytes, an open file, or a pair of name and one of them.
            name: The document's name.
            text: The text that searches find, in place of a file.
            idempotency_key: Makes the change once. Default: a new UUID.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("POST", "/knowledge-bases/{knowledgeBaseId}/documents", models.Document.model_validate, path={"knowledgeBaseId": knowledge_base_id}, body={"name": name, "text": text, "metadata": metadata}, file=file, idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)

    def get(
        self,
        knowledge_base_id: str,
        document_id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Document:
        """Get a document.

        Needs the scope `read:knowledge`.

        Args:
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("GET", "/knowledge-bases/{knowledgeBaseId}/documents/{documentId}", models.Document.model_validate, path={"knowledgeBaseId": knowledge_base_id, "documentId": document_id}, timeout=timeout, max_retries=max_retries)

    def replace(
        self,
        knowledge_base_id: str,
        document_id: str,
        *,
        file: Union[FileSource, NotGiven] = NOT_GIVEN,
        name: Union[str, NotGiven] = NOT_GIVEN,
        text: Union[str, NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        if_match: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Document:
        """Replace a document.

        Send the new file as `multipart/form-data`, or text as JSON. The document has the same id and the new file's name, and is processed again. A search finds the earlier text until the new one is `READY`, and also if the new file cannot be read.

        Needs the scope `write:knowledge`.

        Args:
            file: The file, in place of `text`: bytes, an open file, or a pair of name and one of them.
            name: The document's name.
            text: The text that searches find, in place of a file.
            idempotency_key: Makes the change once. Default: a new UUID.
            if_match: The `etag` of the version that you have read, or `*`. None is refused.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("PUT", "/knowledge-bases/{knowledgeBaseId}/documents/{documentId}", models.Document.model_validate, path={"knowledgeBaseId": knowledge_base_id, "documentId": document_id}, body={"name": name, "text": text}, file=file, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout, max_retries=max_retries)

    def update(
        self,
        knowledge_base_id: str,
        document_id: str,
        *,
        name: Union[str, NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Optional[Union[str, float, bool]]], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        if_match: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Document:
        """Rename a document, or change its metadata.

        Needs the scope `write:knowledge`.

        Args:
            name: The document's name.
            idempotency_key: Makes the change once. Default: a new UUID.
            if_match: The `etag` of the version that you have read, or `*`. None is refused.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("PATCH", "/knowledge-bases/{knowledgeBaseId}/documents/{documentId}", models.Document.model_validate, path={"knowledgeBaseId": knowledge_base_id, "documentId": document_id}, body={"name": name, "metadata": metadata}, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout, max_retries=max_retries)

    def delete(
        self,
        knowledge_base_id: str,
        document_id: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.DeleteDocumentResult:
        """Delete a document, its text and its file.

        Needs the scope `write:knowledge`.

        Args:
            idempotency_key: Makes the change once. Default: a new UUID.
            if_match: The `etag` of the version that you have read, or `*`. None is refused.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("DELETE", "/knowledge-bases/{knowledgeBaseId}/documents/{documentId}", models.DeleteDocumentResult.model_validate, path={"knowledgeBaseId": knowledge_base_id, "documentId": document_id}, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout, max_retries=max_retries)

    def get_file(
        self,
        knowledge_base_id: str,
        document_id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.DocumentFile:
        """Get a document's file, with a new link to download it.

        Needs the scope `read:knowledge`.

        Args:
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("GET", "/knowledge-bases/{knowledgeBaseId}/documents/{documentId}/file", models.DocumentFile.model_validate, path={"knowledgeBaseId": knowledge_base_id, "documentId": document_id}, timeout=timeout, max_retries=max_retries)

    def retry(
        self,
        knowledge_base_id: str,
        document_id: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Document:
        """Process a failed document again.

        Its file is stored, so nothing is uploaded. A document that waits or is being processed stays as it is.

        Needs the scope `write:knowledge`.

        Args:
            idempotency_key: Makes the change once. Default: a new UUID.
            if_match: The `etag` of the version that you have read, or `*`. None is refused.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("POST", "/knowledge-bases/{knowledgeBaseId}/documents/{documentId}/retry", models.Document.model_validate, path={"knowledgeBaseId": knowledge_base_id, "documentId": document_id}, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout, max_retries=max_retries)


class KnowledgeBasesResource:
    def __init__(self, client: Transport) -> None:
        self._client = client
        self.documents = KnowledgeBasesDocumentsResource(client)

    def list(
        self,
        *,
        cursor: Union[str, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        order: Union[Literal["asc", "desc"], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Pages[models.KnowledgeBase]:
        """List knowledge bases, newest first.

        Needs the scope `read:knowledge`.

        Args:
            cursor: `nextCursor` of the previous page.
            limit: Items per page: 1 to 100. A larger number is read as 100.
            order: By creation: `asc` oldest first, `desc` newest first.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._list("GET", "/knowledge-bases", models.KnowledgeBase.model_validate, query={"cursor": cursor, "limit": limit, "order": order}, timeout=timeout, max_retries=max_retries)

    def create(
        self,
        *,
        name: str,
        description: Union[Optional[str], NotGiven] = NOT_GIVEN,
        language: Union[Optional[Literal["da", "de", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ro", "ru", "sv", "tr"]], NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Union[str, float, bool]], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.KnowledgeBase:
        """Create a knowledge base.

        Needs the scope `write:knowledge`.

        Args:
            name: The knowledge base's name. Unique in the environment.
            description: What the documents are about.
            language: The language of the documents. A search then finds every form of a word, and ignores the most common words. Without it, words match only as they are written. It cannot be changed later.
            idempotency_key: Makes the change once. Default: a new UUID.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("POST", "/knowledge-bases", models.KnowledgeBase.model_validate, body={"name": name, "description": description, "language": language, "metadata": metadata}, idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)

    def get(
        self,
        knowledge_base_id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.KnowledgeBase:
        """Get a knowledge base.

        Needs the scope `read:knowledge`.

        Args:
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("GET", "/knowledge-bases/{knowledgeBaseId}", models.KnowledgeBase.model_validate, path={"knowledgeBaseId": knowledge_base_id}, timeout=timeout, max_retries=max_retries)

    def update(
        self,
        knowledge_base_id: str,
        *,
        name: Union[str, NotGiven] = NOT_GIVEN,
        description: Union[Optional[str], NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Optional[Union[str, float, bool]]], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        if_match: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.KnowledgeBase:
        """Change a knowledge base.

        Changes its name, description and metadata. To change the language, create a knowledge base in the new one and upload the documents to it.

        Needs the scope `write:knowledge`.

        Args:
            name: The knowledge base's name. Unique in the environment.
            description: What the documents are about.
            idempotency_key: Makes the change once. Default: a new UUID.
            if_match: The `etag` of the version that you have read, or `*`. None is refused.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("PATCH", "/knowledge-bases/{knowledgeBaseId}", models.KnowledgeBase.model_validate, path={"knowledgeBaseId": knowledge_base_id}, body={"name": name, "description": description, "metadata": metadata}, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout, max_retries=max_retries)

    def delete(
        self,
        knowledge_base_id: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.DeleteKnowledgeBaseResult:
        """Delete a knowledge base and its documents.

        The knowledge base and its documents are gone immediately, however many there are. Their files are removed in the background. Agents that refer to it keep its id.

        Needs the scope `write:knowledge`.

        Args:
            idempotency_key: Makes the change once. Default: a new UUID.
            if_match: The `etag` of the version that you have read, or `*`. None is refused.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("DELETE", "/knowledge-bases/{knowledgeBaseId}", models.DeleteKnowledgeBaseResult.model_validate, path={"knowledgeBaseId": knowledge_base_id}, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout, max_retries=max_retries)

    def search(
        self,
        knowledge_base_id: str,
        *,
        q: str,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.SearchResultPage:
        """Search the documents of a knowledge base.

        Full-text search, best document first. Every word must occur, in any form that it has in the language of the knowledge base. Without a language, `lamp` does not find “lamps”, but `lamp or lamps` finds both.

        Needs the scope `read:knowledge`.

        Args:
            q: The words to find, all of them. Use "several words" for a phrase, `or` between alternatives, and `-` before a word that must not occur.
            limit: Documents at most: 1 to 50. A larger number is read as 50.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("GET", "/knowledge-bases/{knowledgeBaseId}/search", models.SearchResultPage.model_validate, path={"knowledgeBaseId": knowledge_base_id}, query={"q": q, "limit": limit}, timeout=timeout, max_retries=max_retries)


class KnowledgeResource:
    def __init__(self, client: Transport) -> None:
        self._client = client

    def search(
        self,
        *,
        q: str,
        knowledge_base_ids: Sequence[str],
        match: Union[Literal["all", "any"], NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        neighbors: Union[int, NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.KnowledgeHitPage:
        """Search several knowledge bases.

        Returns the parts of documents that fit best, as plain text. Words match in every form that they have in the language of the knowledge base.

        Needs the scope `read:knowledge`.

        Args:
            q: The words to find. Use "several words" for a phrase, and `-` before a word that must not occur.
            knowledge_base_ids: The knowledge bases to search, such as those of an agent.
            limit: The most results to return: 1 to 50.
            neighbors: How many parts before and after each result to return with it.
            idempotency_key: Makes the change once. Default: a new UUID.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("POST", "/knowledge/search", models.KnowledgeHitPage.model_validate, body={"q": q, "knowledgeBaseIds": knowledge_base_ids, "match": match, "limit": limit, "neighbors": neighbors}, idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)


class WebhooksDeliveriesResource:
    def __init__(self, client: Transport) -> None:
        self._client = client

    def list(
        self,
        webhook_id: str,
        *,
        cursor: Union[str, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        order: Union[Literal["asc", "desc"], NotGiven] = NOT_GIVEN,
        status: Union[Union[Sequence[Literal["PENDING", "DELIVERED", "FAILED", "HELD", "DISCARDED"]], Literal["PENDING", "DELIVERED", "FAILED", "HELD", "DISCARDED"]], NotGiven] = NOT_GIVEN,
        event_type: Union[Literal["conversation.created", "conversation.updated", "conversation.status_changed", "conversation.deleted", "message.received", "message.sent", "message.redacted", "customer.created", "customer.updated", "customer.deleted", "customer.erased", "agent.created", "agent.updated", "agent.published", "agent.deleted", "knowledge_base.created", "knowledge_base.updated", "knowledge_base.deleted", "document.created", "document.updated", "document.ready", "document.failed", "document.deleted", "webhook.disabled", "webhook.test"], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Pages[models.Delivery]:
        """List a webhook's deliveries, newest first.

        Needs the scope `read:webhooks`.

        Args:
            cursor: `nextCursor` of the previous page.
            limit: Items per page: 1 to 100. A larger number is read as 100.
            order: By creation: `asc` oldest first, `desc` newest first.
            status: One status or several, separated by commas.
            event_type: What happened. New names may be added.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._list("GET", "/webhooks/{webhookId}/deliveries", models.Delivery.model_validate, path={"webhookId": webhook_id}, query={"cursor": cursor, "limit": limit, "order": order, "status": status, "eventType": event_type}, timeout=timeout, max_retries=max_retries)

    def get(
        self,
        webhook_id: str,
        delivery_id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.DeliveryWithAttempts:
        """Get a delivery with its attempts.

        Needs the scope `read:webhooks`.

        Args:
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("GET", "/webhooks/{webhookId}/deliveries/{deliveryId}", models.DeliveryWithAttempts.model_validate, path={"webhookId": webhook_id, "deliveryId": delivery_id}, timeout=timeout, max_retries=max_retries)

    def resend(
        self,
        webhook_id: str,
        delivery_id: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Delivery:
        """Resend a delivery.

        Sends the same event with the same id and a new signature, even if the webhook is disabled. If it succeeds, the delivery becomes `DELIVERED` and further retries are canceled. If it fails, nothing changes and the failure is not counted.

        Needs the scope `write:webhooks`.

        Args:
            idempotency_key: Makes the change once. Default: a new UUID.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("POST", "/webhooks/{webhookId}/deliveries/{deliveryId}/resend", models.Delivery.model_validate, path={"webhookId": webhook_id, "deliveryId": delivery_id}, idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)


class WebhooksResource:
    def __init__(self, client: Transport) -> None:
        self._client = client
        self.deliveries = WebhooksDeliveriesResource(client)

    def list(
        self,
        *,
        cursor: Union[str, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        order: Union[Literal["asc", "desc"], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Pages[models.Webhook]:
        """List webhooks, newest first.

        Needs the scope `read:webhooks`.

        Args:
            cursor: `nextCursor` of the previous page.
            limit: Items per page: 1 to 100. A larger number is read as 100.
            order: By creation: `asc` oldest first, `desc` newest first.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._list("GET", "/webhooks", models.Webhook.model_validate, query={"cursor": cursor, "limit": limit, "order": order}, timeout=timeout, max_retries=max_retries)

    def create(
        self,
        *,
        url: str,
        events: Sequence[str],
        description: Union[Optional[str], NotGiven] = NOT_GIVEN,
        filter: Union[Optional[params.CreateWebhookBodyFilter], NotGiven] = NOT_GIVEN,
        headers: Union[Mapping[str, str], NotGiven] = NOT_GIVEN,
        max_per_second: Union[Optional[int], NotGiven] = NOT_GIVEN,
        ordering: Union[Literal["none", "conversation"], NotGiven] = NOT_GIVEN,
        on_exhausted: Union[Literal["continue", "hold"], NotGiven] = NOT_GIVEN,
        signature_scheme: Union[Literal["hmac", "ed25519", "both"], NotGiven] = NOT_GIVEN,
        accepts_replies: Union[bool, NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Union[str, float, bool]], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.WebhookWithSecret:
        """Create a webhook and show its secret once.

        Needs the scope `write:webhooks`.

        Args:
            url: Where events are sent: https, or http in test. Private addresses are refused.
            description: What the webhook is for.
            events: Names from the event catalog, a family such as `conversation.*`, or `*` for all.
            filter: Sends only events about conversations and messages whose conversation matches every field. A field takes one value or a list, of which one has to match. Events about anything else are not filtered.
            headers: Headers that every request to the receiver carries, such as `Authorization`: at most 10. Their values are encrypted at rest and never returned.
            max_per_second: The maximum number of attempts that start within any second, with tests and resends. Null for no limit. Deliveries that wait use up no attempts.
            accepts_replies: Whether a successful response to `message.received` can contain a reply: `{"reply": {"text": "…"}}` is posted once to the conversation, as a message of its agent.
            idempotency_key: Makes the change once. Default: a new UUID.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("POST", "/webhooks", models.WebhookWithSecret.model_validate, body={"url": url, "description": description, "events": events, "filter": filter, "headers": headers, "maxPerSecond": max_per_second, "ordering": ordering, "onExhausted": on_exhausted, "signatureScheme": signature_scheme, "acceptsReplies": accepts_replies, "metadata": metadata}, idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)

    def get(
        self,
        webhook_id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Webhook:
        """Get a webhook.

        Needs the scope `read:webhooks`.

        Args:
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("GET", "/webhooks/{webhookId}", models.Webhook.model_validate, path={"webhookId": webhook_id}, timeout=timeout, max_retries=max_retries)

    def update(
        self,
        webhook_id: str,
        *,
        url: Union[str, NotGiven] = NOT_GIVEN,
        description: Union[Optional[str], NotGiven] = NOT_GIVEN,
        events: Union[Sequence[str], NotGiven] = NOT_GIVEN,
        filter: Union[Optional[params.UpdateWebhookBodyFilter], NotGiven] = NOT_GIVEN,
        headers: Union[Optional[Mapping[str, Optional[str]]], NotGiven] = NOT_GIVEN,
        status: Union[Literal["ENABLED", "DISABLED"], NotGiven] = NOT_GIVEN,
        max_per_second: Union[Optional[int], NotGiven] = NOT_GIVEN,
        ordering: Union[Literal["none", "conversation"], NotGiven] = NOT_GIVEN,
        on_exhausted: Union[Literal["continue", "hold"], NotGiven] = NOT_GIVEN,
        signature_scheme: Union[Literal["hmac", "ed25519", "both"], NotGiven] = NOT_GIVEN,
        accepts_replies: Union[bool, NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Optional[Union[str, float, bool]]], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        if_match: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Webhook:
        """Change a webhook, disable it or enable it again.

        Needs the scope `write:webhooks`.

        Args:
            url: Where events are sent: https, or http in test. Private addresses are refused.
            description: What the webhook is for.
            events: Names from the event catalog, a family such as `conversation.*`, or `*` for all.
            filter: Sends only events about conversations and messages whose conversation matches every field. A field takes one value or a list, of which one has to match. Events about anything else are not filtered.
            headers: Headers that every request to the receiver carries, such as `Authorization`: at most 10. Their values are encrypted at rest and never returned. Merged into the stored headers, name by name. A null removes a header.
            status: `ENABLED` resets the count of consecutive failures.
            max_per_second: The maximum number of attempts that start within any second, with tests and resends. Null for no limit. Deliveries that wait use up no attempts.
            accepts_replies: Whether a successful response to `message.received` can contain a reply: `{"reply": {"text": "…"}}` is posted once to the conversation, as a message of its agent.
            idempotency_key: Makes the change once. Default: a new UUID.
            if_match: The `etag` of the version that you have read, or `*`. None is refused.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("PATCH", "/webhooks/{webhookId}", models.Webhook.model_validate, path={"webhookId": webhook_id}, body={"url": url, "description": description, "events": events, "filter": filter, "headers": headers, "status": status, "maxPerSecond": max_per_second, "ordering": ordering, "onExhausted": on_exhausted, "signatureScheme": signature_scheme, "acceptsReplies": accepts_replies, "metadata": metadata}, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout, max_retries=max_retries)

    def delete(
        self,
        webhook_id: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.DeleteWebhookResult:
        """Delete a webhook and its deliveries.

        Needs the scope `write:webhooks`.

        Args:
            idempotency_key: Makes the change once. Default: a new UUID.
            if_match: The `etag` of the version that you have read, or `*`. None is refused.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("DELETE", "/webhooks/{webhookId}", models.DeleteWebhookResult.model_validate, path={"webhookId": webhook_id}, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout, max_retries=max_retries)

    def rotate_secret(
        self,
        webhook_id: str,
        *,
        overlap_seconds: Union[int, NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.WebhookWithSecret:
        """Rotate a webhook's secret and show the new one once.

        Deliveries are signed with the new secret first, and with the previous one too until the overlap ends: after 24 hours, or after `overlapSeconds`. Until then, another rotation is rejected, unless its `overlapSeconds` is 0, which ends every older secret immediately. The body is optional.

        Needs the scope `write:webhooks`.

        Args:
            overlap_seconds: How long the previous secret also signs, in seconds. 0 ends every older secret immediately.
            idempotency_key: Makes the change once. Default: a new UUID.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("POST", "/webhooks/{webhookId}/rotate-secret", models.WebhookWithSecret.model_validate, path={"webhookId": webhook_id}, body={"overlapSeconds": overlap_seconds}, idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)

    def test(
        self,
        webhook_id: str,
        *,
        type: Union[Literal["conversation.created", "conversation.updated", "conversation.status_changed", "conversation.deleted", "message.received", "message.sent", "message.redacted", "customer.created", "customer.updated", "customer.deleted", "customer.erased", "agent.created", "agent.updated", "agent.published", "agent.deleted", "knowledge_base.created", "knowledge_base.updated", "knowledge_base.deleted", "document.created", "document.updated", "document.ready", "document.failed", "document.deleted", "webhook.disabled", "webhook.test"], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Delivery:
        """Send a test event to a webhook.

        Sends `webhook.test` to this webhook only, whatever it subscribes to, even if it is disabled. With `type`, it sends the example of another event type instead, under the id of the test. The feed of events lists it as `webhook.test`, so that readers do not mistake the example for a real event. There is one attempt, and a failure is not counted. Get the delivery to see the result.

        Needs the scope `write:webhooks`.

        Args:
            type: The type of the event to send. Of any other than `webhook.test`, the example of the catalog is sent.
            idempotency_key: Makes the change once. Default: a new UUID.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("POST", "/webhooks/{webhookId}/test", models.Delivery.model_validate, path={"webhookId": webhook_id}, body={"type": type}, idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)

    def recover(
        self,
        webhook_id: str,
        *,
        since: Union[str, datetime],
        until: Union[str, datetime, NotGiven] = NOT_GIVEN,
        dry_run: Union[bool, NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Recovery:
        """Resend failed and held deliveries.

        Every delivery of that period that is `FAILED` or `HELD`, except tests, starts a new retry schedule. They are sent in the background, at most 50 per second. With `dryRun` they are only counted, which also works while the webhook is disabled.

        Needs the scope `write:webhooks`.

        Args:
            since: Deliveries of events of this time or later.
            until: And of this time or earlier. Default: now.
            dry_run: Counts what would be sent, and sends nothing.
            idempotency_key: Makes the change once. Default: a new UUID.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("POST", "/webhooks/{webhookId}/recover", models.Recovery.model_validate, path={"webhookId": webhook_id}, body={"since": since, "until": until, "dryRun": dry_run}, idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)

    def replay(
        self,
        webhook_id: str,
        *,
        since: Union[str, datetime],
        until: Union[str, datetime, NotGiven] = NOT_GIVEN,
        event_types: Union[Sequence[Literal["conversation.created", "conversation.updated", "conversation.status_changed", "conversation.deleted", "message.received", "message.sent", "message.redacted", "customer.created", "customer.updated", "customer.deleted", "customer.erased", "agent.created", "agent.updated", "agent.published", "agent.deleted", "knowledge_base.created", "knowledge_base.updated", "knowledge_base.deleted", "document.created", "document.updated", "document.ready", "document.failed", "document.deleted", "webhook.disabled", "webhook.test"]], NotGiven] = NOT_GIVEN,
        statuses: Union[Sequence[Literal["DELIVERED", "FAILED", "HELD", "DISCARDED", "NONE"]], NotGiven] = NOT_GIVEN,
        dry_run: Union[bool, NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Replay:
        """Replay events.

        Sends every event of that period that the webhook subscribes to: those that were delivered too, and those from before the webhook was created. Each event is sent once per replay, by its one delivery to the webhook, with a new retry schedule. They are sent in the background, oldest first, at most 50 per second. Events are stored for 30 days. With `dryRun` they are only counted, which also works while the webhook is disabled.

        Needs the scope `write:webhooks`.

        Args:
            since: Events of this time or later.
            until: And of this time or earlier. Default: now.
            event_types: Only these types, of those that the webhook subscribes to.
            statuses: Only events whose delivery has one of these statuses. Default: any. A `PENDING` delivery is on its way and is never replayed.
            dry_run: Counts what would be sent, and sends nothing.
            idempotency_key: Makes the change once. Default: a new UUID.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("POST", "/webhooks/{webhookId}/replay", models.Replay.model_validate, path={"webhookId": webhook_id}, body={"since": since, "until": until, "eventTypes": event_types, "statuses": statuses, "dryRun": dry_run}, idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)


class EventsResource:
    def __init__(self, client: Transport) -> None:
        self._client = client

    def list(
        self,
        *,
        cursor: Union[str, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        order: Union[Literal["asc", "desc"], NotGiven] = NOT_GIVEN,
        type: Union[Literal["conversation.created", "conversation.updated", "conversation.status_changed", "conversation.deleted", "message.received", "message.sent", "message.redacted", "customer.created", "customer.updated", "customer.deleted", "customer.erased", "agent.created", "agent.updated", "agent.published", "agent.deleted", "knowledge_base.created", "knowledge_base.updated", "knowledge_base.deleted", "document.created", "document.updated", "document.ready", "document.failed", "document.deleted", "webhook.disabled", "webhook.test"], NotGiven] = NOT_GIVEN,
        since: Union[str, datetime, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Pages[models.Event]:
        """List events, newest first.

        With `order=asc`, a client that continues after the last event it has read misses nothing and reads nothing twice: an event appears only after every event before it. Events are listed for at least 30 days. An event's id remains valid as a cursor for another 30 days.

        Needs the scope `read:webhooks`.

        Args:
            cursor: `nextCursor` of the previous page.
            limit: Items per page: 1 to 100. A larger number is read as 100.
            order: By creation: `asc` oldest first, `desc` newest first.
            type: What happened. New names may be added.
            since: Only events of this time or later.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._list("GET", "/events", parse_event, query={"cursor": cursor, "limit": limit, "order": order, "type": type, "since": since}, timeout=timeout, max_retries=max_retries)

    def stream(
        self,
        *,
        cursor: Union[str, NotGiven] = NOT_GIVEN,
        types: Union[Union[Sequence[Literal["conversation.created", "conversation.updated", "conversation.status_changed", "conversation.deleted", "message.received", "message.sent", "message.redacted", "customer.created", "customer.updated", "customer.deleted", "customer.erased", "agent.created", "agent.updated", "agent.published", "agent.deleted", "knowledge_base.created", "knowledge_base.updated", "knowledge_base.deleted", "document.created", "document.updated", "document.ready", "document.failed", "document.deleted", "webhook.disabled", "webhook.test"]], Literal["conversation.created", "conversation.updated", "conversation.status_changed", "conversation.deleted", "message.received", "message.sent", "message.redacted", "customer.created", "customer.updated", "customer.deleted", "customer.erased", "agent.created", "agent.updated", "agent.published", "agent.deleted", "knowledge_base.created", "knowledge_base.updated", "knowledge_base.deleted", "document.created", "document.updated", "document.ready", "document.failed", "document.deleted", "webhook.disabled", "webhook.test"]], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Iterator[models.Event]:
        """Stream events as they happen.

        The response is a stream of server-sent events that does not end: each has the event's id and, as `data`, the event. They are in the order of the ascending feed, which is gap-free: a client that reconnects with the last id it received, in `Last-Event-ID` or as `cursor`, misses nothing and receives nothing twice. The stream sends an event or a comment at least every 15 seconds. A key has at most 10 open streams, and an environment at most 100, over all keys. Opening one counts as one request.

        Needs the scope `read:webhooks`.

        Args:
            cursor: The id of the last event that you have: the stream continues after it. `start` begins with the oldest stored event. Without a cursor, the stream begins with the next event. The header `Last-Event-ID` takes precedence.
            types: Only events of these types, separated by commas.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._stream(query={"cursor": cursor, "types": types}, timeout=timeout, max_retries=max_retries)

    def get(
        self,
        event_id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Event:
        """Get an event.

        Needs the scope `read:webhooks`.

        Args:
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("GET", "/events/{eventId}", parse_event, path={"eventId": event_id}, timeout=timeout, max_retries=max_retries)

    def types(
        self,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.EventTypeInfoPage:
        """List the event types, each with its JSON Schema and an example.

        Needs the scope `read:webhooks`.

        Args:
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("GET", "/event-types", models.EventTypeInfoPage.model_validate, timeout=timeout, max_retries=max_retries)


class MembersResource:
    def __init__(self, client: Transport) -> None:
        self._client = client

    def list(
        self,
        *,
        cursor: Union[str, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        order: Union[Literal["asc", "desc"], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Pages[models.Member]:
        """List the members, to assign conversations to them.

        The `id` of a member is what `assigneeId` of a conversation takes. The members are the same in both environments. Those whose access is suspended are not listed.

        Needs the scope `read:conversations`.

        Args:
            cursor: `nextCursor` of the previous page.
            limit: Items per page: 1 to 100. A larger number is read as 100.
            order: By creation: `asc` oldest first, `desc` newest first.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._list("GET", "/members", models.Member.model_validate, query={"cursor": cursor, "limit": limit, "order": order}, timeout=timeout, max_retries=max_retries)


class RequestLogsResource:
    def __init__(self, client: Transport) -> None:
        self._client = client

    def list(
        self,
        *,
        cursor: Union[str, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        order: Union[Literal["asc", "desc"], NotGiven] = NOT_GIVEN,
        api_key_id: Union[str, NotGiven] = NOT_GIVEN,
        method: Union[Literal["HEAD", "GET", "POST", "PUT", "PATCH", "DELETE"], NotGiven] = NOT_GIVEN,
        status: Union[str, NotGiven] = NOT_GIVEN,
        error_kind: Union[str, NotGiven] = NOT_GIVEN,
        idempotency_key: Union[str, NotGiven] = NOT_GIVEN,
        path: Union[str, NotGiven] = NOT_GIVEN,
        since: Union[str, datetime, NotGiven] = NOT_GIVEN,
        until: Union[str, datetime, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Pages[models.RequestLog]:
        """List requests to the API, newest first.

        A request appears within about two seconds of its response, so one that took longer can appear behind newer ones. Successful reads of this list are left out, unless `path` selects them. A page can have fewer items than `limit`, or none, and a `nextCursor`: few of the requests that were searched match the filters.

        Needs the scope `read:usage`.

        Args:
            cursor: `nextCursor` of the previous page.
            limit: Items per page: 1 to 100. A larger number is read as 100.
            order: By creation: `asc` oldest first, `desc` newest first.
            api_key_id: Only requests with this key.
            method: Only requests with this method.
            status: Only responses with this status, or with one of its class: `4xx`, `5xx`, or `2xx` for all below 400.
            error_kind: Only errors of this kind, such as `rate-limited`.
            idempotency_key: Only requests with this `Idempotency-Key`.
            path: Only requests whose path starts with this.
            since: Only requests of this time or later.
            until: Only requests before this time.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._list("GET", "/request-logs", models.RequestLog.model_validate, query={"cursor": cursor, "limit": limit, "order": order, "apiKeyId": api_key_id, "method": method, "status": status, "errorKind": error_kind, "idempotencyKey": idempotency_key, "path": path, "since": since, "until": until}, timeout=timeout, max_retries=max_retries)

    def get(
        self,
        request_id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.RequestLogWithBodies:
        """Get a request to the API, with its bodies.

        Needs the scope `read:usage`.

        Args:
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("GET", "/request-logs/{requestId}", models.RequestLogWithBodies.model_validate, path={"requestId": request_id}, timeout=timeout, max_retries=max_retries)


class UsageResource:
    def __init__(self, client: Transport) -> None:
        self._client = client

    def get(
        self,
        *,
        from_: Union[str, NotGiven] = NOT_GIVEN,
        to: Union[str, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Usage:
        """Get usage per day and in total.

        This month by default, and at most 366 days. Usage with test keys is counted too, and never billed.

        Needs the scope `read:usage`.

        Args:
            from_: The first day (UTC). Default: the first day of the month of `to`.
            to: The last day (UTC). Default: the last day of this month.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("GET", "/usage", models.Usage.model_validate, query={"from": from_, "to": to}, timeout=timeout, max_retries=max_retries)


class AccountResource:
    def __init__(self, client: Transport) -> None:
        self._client = client

    def get(
        self,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Account:
        """Get the account and the API key of the request.

        Needs the scope `read:usage`.

        Args:
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._call("GET", "/account", models.Account.model_validate, timeout=timeout, max_retries=max_retries)


class AsyncConversationsMessagesResource:
    def __init__(self, client: AsyncTransport) -> None:
        self._client = client

    def list(
        self,
        conversation_id: str,
        *,
        cursor: Union[str, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        order: Union[Literal["asc", "desc"], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> AsyncPages[models.Message]:
        """List the messages of a conversation, oldest first.

        Needs the scope `read:conversations`.

        Args:
            cursor: `nextCursor` of the previous page.
            limit: Items per page: 1 to 100. A larger number is read as 100.
            order: By creation: `asc` oldest first, `desc` newest first.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._list("GET", "/conversations/{conversationId}/messages", models.Message.model_validate, path={"conversationId": conversation_id}, query={"cursor": cursor, "limit": limit, "order": order}, timeout=timeout, max_retries=max_retries)

    async def create(
        self,
        conversation_id: str,
        *,
        text: Union[str, NotGiven] = NOT_GIVEN,
        attachments: Union[Sequence[str], NotGiven] = NOT_GIVEN,
        author: Union[params.PostMessageBodyAuthor, NotGiven] = NOT_GIVEN,
        direction: Union[Literal["INBOUND", "OUTBOUND", "INTERNAL"], NotGiven] = NOT_GIVEN,
        external_id: Union[Optional[str], NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Union[str, float, bool]], NotGiven] = NOT_GIVEN,
        on_closed: Union[Literal["reopen", "new"], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Message:
        """Post a message to a conversation.

        Needs the scope `write:conversations`.

        Args:
            text: The message as plain text. May be missing or empty if the message has attachments.
            attachments: The ids of files from `POST /files`, in the order to show them. A file can be attached once.
            author: Default: `CUSTOMER`. A customer without an `id` is the conversation's customer, with that id and name.
            direction: `INTERNAL` makes it a note. Otherwise the direction follows from the author and may be left out.
            external_id: Your own id for the message.
            idempotency_key: Makes the change once. Default: a new UUID.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("POST", "/conversations/{conversationId}/messages", models.Message.model_validate, path={"conversationId": conversation_id}, body={"text": text, "attachments": attachments, "author": author, "direction": direction, "externalId": external_id, "metadata": metadata, "onClosed": on_closed}, idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)

    async def get(
        self,
        conversation_id: str,
        message_id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Message:
        """Get a message.

        Needs the scope `read:conversations`.

        Args:
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("GET", "/conversations/{conversationId}/messages/{messageId}", models.Message.model_validate, path={"conversationId": conversation_id, "messageId": message_id}, timeout=timeout, max_retries=max_retries)

    async def delete(
        self,
        conversation_id: str,
        message_id: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Message:
        """Redact a message.

        Removes the message's text, metadata and attachments. The message keeps its place: its id, sequence, author and times, with `redactedAt`. Its event is redacted too, and so is its preview in the conversation's events, and deliveries that were not sent yet have the redacted events. The log of the request that posted it is cleared after some seconds. Redacting it again changes nothing.

        Needs the scope `write:conversations`.

        Args:
            idempotency_key: Makes the change once. Default: a new UUID.
            if_match: The `etag` of the version that you have read, or `*`. None is refused.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("DELETE", "/conversations/{conversationId}/messages/{messageId}", models.Message.model_validate, path={"conversationId": conversation_id, "messageId": message_id}, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout, max_retries=max_retries)


class AsyncConversationsResource:
    def __init__(self, client: AsyncTransport) -> None:
        self._client = client
        self.messages = AsyncConversationsMessagesResource(client)

    def list(
        self,
        *,
        cursor: Union[str, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        order: Union[Literal["asc", "desc"], NotGiven] = NOT_GIVEN,
        status: Union[Union[Sequence[Literal["OPEN", "PENDING", "SNOOZED", "RESOLVED", "CLOSED"]], Literal["OPEN", "PENDING", "SNOOZED", "RESOLVED", "CLOSED"]], NotGiven] = NOT_GIVEN,
        channel_id: Union[str, NotGiven] = NOT_GIVEN,
        customer_id: Union[str, NotGiven] = NOT_GIVEN,
        agent_id: Union[str, NotGiven] = NOT_GIVEN,
        assignee_id: Union[str, NotGiven] = NOT_GIVEN,
        external_id: Union[str, NotGiven] = NOT_GIVEN,
        tag: Union[str, NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, str], NotGiven] = NOT_GIVEN,
        updated_since: Union[str, datetime, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> AsyncPages[models.Conversation]:
        """List conversations, newest first.

        Needs the scope `read:conversations`.

        Args:
            cursor: `nextCursor` of the previous page.
            limit: Items per page: 1 to 100. A larger number is read as 100.
            order: By creation: `asc` oldest first, `desc` newest first.
            status: One status or several, separated by commas.
            channel_id: Your own name for the channel; any value.
            customer_id: Only conversations of this customer.
            agent_id: Only conversations of this agent.
            assignee_id: Only conversations that are assigned to this member.
            external_id: Your own id for the conversation.
            tag: Only conversations with this tag.
            metadata: Only items with these values in `metadata`, such as `metadata[plan]=gold`. Numbers and booleans are compared as text.
            updated_since: Only conversations changed at this time or later. `updatedAt` is never earlier than the newest message.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._list("GET", "/conversations", models.Conversation.model_validate, query={"cursor": cursor, "limit": limit, "order": order, "status": status, "channelId": channel_id, "customerId": customer_id, "agentId": agent_id, "assigneeId": assignee_id, "externalId": external_id, "tag": tag, "metadata": metadata, "updatedSince": updated_since}, timeout=timeout, max_retries=max_retries)

    async def create(
        self,
        *,
        channel_id: str,
        message: Union[str, params.CreateConversationBodyMessage, NotGiven] = NOT_GIVEN,
        customer_id: Union[Optional[str], NotGiven] = NOT_GIVEN,
        customer: Union[params.CreateConversationBodyCustomer, NotGiven] = NOT_GIVEN,
        agent_id: Union[Optional[str], NotGiven] = NOT_GIVEN,
        subject: Union[Optional[str], NotGiven] = NOT_GIVEN,
        priority: Union[Literal["LOW", "NORMAL", "HIGH", "URGENT"], NotGiven] = NOT_GIVEN,
        tags: Union[Sequence[str], NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Union[str, float, bool]], NotGiven] = NOT_GIVEN,
        external_id: Union[Optional[str], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Conversation:
        """Create a conversation, optionally with a first message.

        Needs the scope `write:conversations`.

        Args:
            channel_id: Your own name for the channel; any value.
            message: The first message: its text, or an object.
            customer_id: The id of the customer.
            customer: A customer to create with the conversation. If a customer with this `externalId` exists, it is used unchanged and the other fields are ignored.
            agent_id: The id of the agent.
            subject: What the conversation is about.
            tags: Your own labels, each at most once.
            external_id: Your own id for the conversation.
            idempotency_key: Makes the change once. Default: a new UUID.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("POST", "/conversations", models.Conversation.model_validate, body={"channelId": channel_id, "message": message, "customerId": customer_id, "customer": customer, "agentId": agent_id, "subject": subject, "priority": priority, "tags": tags, "metadata": metadata, "externalId": external_id}, idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)

    def search(
        self,
        *,
        q: str,
        sort: Union[Literal["ranked", "newest"], NotGiven] = NOT_GIVEN,
        cursor: Union[str, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        status: Union[Union[Sequence[Literal["OPEN", "PENDING", "SNOOZED", "RESOLVED", "CLOSED"]], Literal["OPEN", "PENDING", "SNOOZED", "RESOLVED", "CLOSED"]], NotGiven] = NOT_GIVEN,
        channel_id: Union[str, NotGiven] = NOT_GIVEN,
        customer_id: Union[str, NotGiven] = NOT_GIVEN,
        agent_id: Union[str, NotGiven] = NOT_GIVEN,
        assignee_id: Union[str, NotGiven] = NOT_GIVEN,
        external_id: Union[str, NotGiven] = NOT_GIVEN,
        tag: Union[str, NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, str], NotGiven] = NOT_GIVEN,
        updated_since: Union[str, datetime, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> AsyncPages[models.FoundConversation]:
        """Search conversations.

        Searches messages, notes included, subjects, and the name, email address, phone number and `externalId` of customers. All words must occur in one message, in the subject or in the customer's fields; those of the subject and the customer count for every message. New messages are found after about a second.

        Needs the scope `read:conversations`.

        Args:
            q: Words to find, all of them, each from the start of a word. Use "several words" for a phrase. Case and accents make no difference. At most 10 words and phrases.
            sort: `ranked`: best first, among the 250 newest conversations that match. `newest`: all conversations that match, newest first. A page compares at most 2,500 conversations with the filters; it can be short or empty and still have a `nextCursor`.
            cursor: `nextCursor` of the previous page.
            limit: Conversations per page: 1 to 50. A larger number is read as 50.
            status: One status or several, separated by commas.
            channel_id: Your own name for the channel; any value.
            customer_id: Only conversations of this customer.
            agent_id: Only conversations of this agent.
            assignee_id: Only conversations that are assigned to this member.
            external_id: Your own id for the conversation.
            tag: Only conversations with this tag.
            metadata: Only items with these values in `metadata`, such as `metadata[plan]=gold`. Numbers and booleans are compared as text.
            updated_since: Only conversations changed at this time or later. `updatedAt` is never earlier than the newest message.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._list("GET", "/conversations/search", models.FoundConversation.model_validate, query={"q": q, "sort": sort, "cursor": cursor, "limit": limit, "status": status, "channelId": channel_id, "customerId": customer_id, "agentId": agent_id, "assigneeId": assignee_id, "externalId": external_id, "tag": tag, "metadata": metadata, "updatedSince": updated_since}, timeout=timeout, max_retries=max_retries)

    async def get(
        self,
        conversation_id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Conversation:
        """Get a conversation.

        Needs the scope `read:conversations`.

        Args:
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("GET", "/conversations/{conversationId}", models.Conversation.model_validate, path={"conversationId": conversation_id}, timeout=timeout, max_retries=max_retries)

    async def update(
        self,
        conversation_id: str,
        *,
        status: Union[Literal["OPEN", "PENDING", "SNOOZED", "RESOLVED", "CLOSED"], NotGiven] = NOT_GIVEN,
        snoozed_until: Union[Optional[Union[str, datetime]], NotGiven] = NOT_GIVEN,
        customer_id: Union[Optional[str], NotGiven] = NOT_GIVEN,
        agent_id: Union[Optional[str], NotGiven] = NOT_GIVEN,
        assignee_id: Union[Optional[str], NotGiven] = NOT_GIVEN,
        subject: Union[Optional[str], NotGiven] = NOT_GIVEN,
        priority: Union[Literal["LOW", "NORMAL", "HIGH", "URGENT"], NotGiven] = NOT_GIVEN,
        tags: Union[Sequence[str], NotGiven] = NOT_GIVEN,
        add_tags: Union[Sequence[str], NotGiven] = NOT_GIVEN,
        remove_tags: Union[Sequence[str], NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Optional[Union[str, float, bool]]], NotGiven] = NOT_GIVEN,
        external_id: Union[Optional[str], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        if_match: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Conversation:
        """Change a conversation, for example its status.

        Needs the scope `write:conversations`.

        Args:
            snoozed_until: When a `SNOOZED` conversation reopens: in the future, at most one year ahead.
            customer_id: The id of the customer.
            agent_id: The id of the agent.
            assignee_id: The id of a member, from `GET /members`.
            subject: What the conversation is about.
            tags: Replaces all labels. Not together with `addTags` or `removeTags`.
            add_tags: Labels to add. Those that the conversation has already stay where they are. Labels that other requests add or remove at the same time are kept.
            remove_tags: Labels to remove. Those that the conversation does not have are ignored.
            external_id: Your own id for the conversation.
            idempotency_key: Makes the change once. Default: a new UUID.
            if_match: The `etag` of the version that you have read, or `*`. None is refused.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("PATCH", "/conversations/{conversationId}", models.Conversation.model_validate, path={"conversationId": conversation_id}, body={"status": status, "snoozedUntil": snoozed_until, "customerId": customer_id, "agentId": agent_id, "assigneeId": assignee_id, "subject": subject, "priority": priority, "tags": tags, "addTags": add_tags, "removeTags": remove_tags, "metadata": metadata, "externalId": external_id}, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout, max_retries=max_retries)

    async def delete(
        self,
        conversation_id: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.DeleteConversationResult:
        """Delete a conversation and its messages.

        The conversation, its messages and their attachments are gone immediately, however many there are. Usage still counts them. Events about it stay in the feed for their time; to remove a person's data from events too, erase the customer.

        Needs the scope `write:conversations`.

        Args:
            idempotency_key: Makes the change once. Default: a new UUID.
            if_match: The `etag` of the version that you have read, or `*`. None is refused.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("DELETE", "/conversations/{conversationId}", models.DeleteConversationResult.model_validate, path={"conversationId": conversation_id}, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout, max_retries=max_retries)


class AsyncFilesResource:
    def __init__(self, client: AsyncTransport) -> None:
        self._client = client

    async def create(
        self,
        *,
        file: Union[FileSource, NotGiven] = NOT_GIVEN,
        name: Union[str, NotGiven] = NOT_GIVEN,
        text: Union[str, NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.File:
        """Upload a file.

        Send a file of any type as `multipart/form-data`, at most 20 MiB, or text as JSON. Then post a message with its id in `attachments`. A file that no message has after 24 hours is deleted.

        Needs the scope `write:conversations`.

        Args:
            file: The file, in place of `text`: bytes, an open file, or a pair of name and one of them.
            name: The name that the file is downloaded with.
            text: The content of a text file, in place of an upload.
            idempotency_key: Makes the change once. Default: a new UUID.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("POST", "/files", models.File.model_validate, body={"name": name, "text": text}, file=file, idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)

    async def get(
        self,
        file_id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.File:
        """Get a file, with a new link to download it.

        Needs the scope `read:conversations`.

        Args:
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("GET", "/files/{fileId}", models.File.model_validate, path={"fileId": file_id}, timeout=timeout, max_retries=max_retries)


class AsyncCustomersResource:
    def __init__(self, client: AsyncTransport) -> None:
        self._client = client

    def list(
        self,
        *,
        cursor: Union[str, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        order: Union[Literal["asc", "desc"], NotGiven] = NOT_GIVEN,
        q: Union[str, NotGiven] = NOT_GIVEN,
        email: Union[str, NotGiven] = NOT_GIVEN,
        phone: Union[str, NotGiven] = NOT_GIVEN,
        external_id: Union[str, NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> AsyncPages[models.Customer]:
        """List customers, newest first.

        Needs the scope `read:customers`.

        Args:
            cursor: `nextCursor` of the previous page.
            limit: Items per page: 1 to 100. A larger number is read as 100.
            order: By creation: `asc` oldest first, `desc` newest first.
            q: Words to find in `name`, `email`, `phone` and `externalId`, all of them. Each may be the start of a word. Use "several words" for a phrase. Case and accents make no difference.
            email: An email address, stored in lower case.
            phone: A phone number in E.164 format, such as +4930123456.
            external_id: Your own id for the customer. Unique in the environment.
            metadata: Only items with these values in `metadata`, such as `metadata[plan]=gold`. Numbers and booleans are compared as text.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._list("GET", "/customers", models.Customer.model_validate, query={"cursor": cursor, "limit": limit, "order": order, "q": q, "email": email, "phone": phone, "externalId": external_id, "metadata": metadata}, timeout=timeout, max_retries=max_retries)

    async def create(
        self,
        *,
        external_id: Union[Optional[str], NotGiven] = NOT_GIVEN,
        name: Union[Optional[str], NotGiven] = NOT_GIVEN,
        email: Union[Optional[str], NotGiven] = NOT_GIVEN,
        phone: Union[Optional[str], NotGiven] = NOT_GIVEN,
        locale: Union[Optional[str], NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Union[str, float, bool]], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Customer:
        """Create a customer.

        Needs the scope `write:customers`.

        Args:
            external_id: Your own id for the customer. Unique in the environment.
            name: The customer's name.
            email: An email address, stored in lower case.
            phone: A phone number in E.164 format, such as +4930123456.
            locale: A BCP 47 language tag, such as de-AT.
            idempotency_key: Makes the change once. Default: a new UUID.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("POST", "/customers", models.Customer.model_validate, body={"externalId": external_id, "name": name, "email": email, "phone": phone, "locale": locale, "metadata": metadata}, idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)

    async def get(
        self,
        customer_id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Customer:
        """Get a customer.

        Needs the scope `read:customers`.

        Args:
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("GET", "/customers/{customerId}", models.Customer.model_validate, path={"customerId": customer_id}, timeout=timeout, max_retries=max_retries)

    async def update(
        self,
        customer_id: str,
        *,
        external_id: Union[Optional[str], NotGiven] = NOT_GIVEN,
        name: Union[Optional[str], NotGiven] = NOT_GIVEN,
        email: Union[Optional[str], NotGiven] = NOT_GIVEN,
        phone: Union[Optional[str], NotGiven] = NOT_GIVEN,
        locale: Union[Optional[str], NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Optional[Union[str, float, bool]]], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        if_match: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Customer:
        """Change a customer.

        Needs the scope `write:customers`.

        Args:
            external_id: Your own id for the customer. Unique in the environment.
            name: The customer's name.
            email: An email address, stored in lower case.
            phone: A phone number in E.164 format, such as +4930123456.
            locale: A BCP 47 language tag, such as de-AT.
            idempotency_key: Makes the change once. Default: a new UUID.
            if_match: The `etag` of the version that you have read, or `*`. None is refused.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("PATCH", "/customers/{customerId}", models.Customer.model_validate, path={"customerId": customer_id}, body={"externalId": external_id, "name": name, "email": email, "phone": phone, "locale": locale, "metadata": metadata}, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout, max_retries=max_retries)

    async def delete(
        self,
        customer_id: str,
        *,
        cascade: Union[bool, NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        if_match: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.DeleteCustomerResult:
        """Delete a customer.

        A customer with conversations is not deleted: the response is 409 `in-use` with their number. With `cascade=true` they are deleted too, in the same transaction. To meet a person's request for erasure, erase the customer instead.

        Needs the scope `write:customers`.

        Args:
            cascade: Whether to delete the customer's conversations, too: at most 1,000.
            idempotency_key: Makes the change once. Default: a new UUID.
            if_match: The `etag` of the version that you have read, or `*`. None is refused.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("DELETE", "/customers/{customerId}", models.DeleteCustomerResult.model_validate, path={"customerId": customer_id}, query={"cascade": cascade}, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout, max_retries=max_retries)

    async def upsert(
        self,
        external_id: str,
        *,
        name: Union[Optional[str], NotGiven] = NOT_GIVEN,
        email: Union[Optional[str], NotGiven] = NOT_GIVEN,
        phone: Union[Optional[str], NotGiven] = NOT_GIVEN,
        locale: Union[Optional[str], NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Optional[Union[str, float, bool]]], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        if_match: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Customer:
        """Create a customer, or change the one with this externalId.

        If no customer has this `externalId`, it creates one and returns 201. Otherwise it changes the given fields like `PATCH`, and returns 200. However many requests arrive at the same time, they create one customer.

        Needs the scope `write:customers`.

        Args:
            name: The customer's name.
            email: An email address, stored in lower case.
            phone: A phone number in E.164 format, such as +4930123456.
            locale: A BCP 47 language tag, such as de-AT.
            idempotency_key: Makes the change once. Default: a new UUID.
            if_match: The `etag` of the version that you have read, or `*`. None is refused.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("PUT", "/customers/by-external-id/{externalId}", models.Customer.model_validate, path={"externalId": external_id}, body={"name": name, "email": email, "phone": phone, "locale": locale, "metadata": metadata}, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout, max_retries=max_retries)

    async def erase(
        self,
        customer_id: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Erasure:
        """Erase a customer.

        Removes everything personal about a customer. The customer's own fields are cleared immediately. In the background, it removes the content of their conversations and messages, attachments, events and what is stored of their deliveries, logged requests and stored responses. Ids, statuses, times and counts remain. Then it raises `customer.erased`, and an entry in the audit log certifies it. This cannot be undone. A request while an erasure is in progress returns that one; after it, a new erasure removes what was written since.

        Needs the scope `write:customers`.

        Args:
            idempotency_key: Makes the change once. Default: a new UUID.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("POST", "/customers/{customerId}/erase", models.Erasure.model_validate, path={"customerId": customer_id}, idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)


class AsyncErasuresResource:
    def __init__(self, client: AsyncTransport) -> None:
        self._client = client

    async def get(
        self,
        erasure_id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Erasure:
        """Get an erasure and its receipt.

        Needs the scope `read:customers`.

        Args:
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("GET", "/erasures/{erasureId}", models.Erasure.model_validate, path={"erasureId": erasure_id}, timeout=timeout, max_retries=max_retries)


class AsyncAgentsResource:
    def __init__(self, client: AsyncTransport) -> None:
        self._client = client

    def list(
        self,
        *,
        cursor: Union[str, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        order: Union[Literal["asc", "desc"], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> AsyncPages[models.Agent]:
        """List agents, newest first.

        Each agent is shown as its current draft, whether or not it is published.

        Needs the scope `read:agents`.

        Args:
            cursor: `nextCursor` of the previous page.
            limit: Items per page: 1 to 100. A larger number is read as 100.
            order: By creation: `asc` oldest first, `desc` newest first.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._list("GET", "/agents", models.Agent.model_validate, query={"cursor": cursor, "limit": limit, "order": order}, timeout=timeout, max_retries=max_retries)

    async def create(
        self,
        *,
        name: str,
        description: Union[Optional[str], NotGiven] = NOT_GIVEN,
        model: Union[Optional[str], NotGiven] = NOT_GIVEN,
        instructions: Union[Optional[str], NotGiven] = NOT_GIVEN,
        greeting: Union[Optional[str], NotGiven] = NOT_GIVEN,
        temperature: Union[Optional[float], NotGiven] = NOT_GIVEN,
        knowledge_base_ids: Union[Sequence[str], NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Union[str, float, bool]], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Agent:
        """Create an agent as a draft.

        An agent is a configuration that your own program reads. Parlance does not run a model. Only a member can publish an agent, in the dashboard.

        Needs the scope `write:agents`.

        Args:
            name: The agent's name.
            description: What the agent is for.
            model: The model that your program asks, by any name of your own. Parlance runs no model.
            instructions: What your program tells the model.
            greeting: What your program says first.
            temperature: How much the model varies its replies.
            knowledge_base_ids: The knowledge bases your program searches for this agent, in the same environment.
            idempotency_key: Makes the change once. Default: a new UUID.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("POST", "/agents", models.Agent.model_validate, body={"name": name, "description": description, "model": model, "instructions": instructions, "greeting": greeting, "temperature": temperature, "knowledgeBaseIds": knowledge_base_ids, "metadata": metadata}, idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)

    async def copy_from_test(
        self,
        *,
        agent_id: str,
        version: Union[str, NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Agent:
        """Copy an agent from test to live, as a draft.

        Needs a live key. Creates an agent with the content of the test agent's draft, or of a version. Knowledge bases are matched by name; those that live does not have are left out.

        Needs the scope `write:agents`.

        Args:
            agent_id: The id of an agent in test.
            version: What to show: the `draft`, the `published` version, or the version with this number.
            idempotency_key: Makes the change once. Default: a new UUID.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("POST", "/agents/copy-from-test", models.Agent.model_validate, body={"agentId": agent_id, "version": version}, idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)

    async def get(
        self,
        agent_id: str,
        *,
        version: Union[str, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Agent:
        """Get an agent's draft or one of its versions.

        A program that replies uses `version=published`: members change that version only on purpose, by publishing the draft.

        Needs the scope `read:agents`.

        Args:
            version: What to show: the `draft`, the `published` version, or the version with this number.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("GET", "/agents/{agentId}", models.Agent.model_validate, path={"agentId": agent_id}, query={"version": version}, timeout=timeout, max_retries=max_retries)

    async def update(
        self,
        agent_id: str,
        *,
        name: Union[str, NotGiven] = NOT_GIVEN,
        description: Union[Optional[str], NotGiven] = NOT_GIVEN,
        model: Union[Optional[str], NotGiven] = NOT_GIVEN,
        instructions: Union[Optional[str], NotGiven] = NOT_GIVEN,
        greeting: Union[Optional[str], NotGiven] = NOT_GIVEN,
        temperature: Union[Optional[float], NotGiven] = NOT_GIVEN,
        knowledge_base_ids: Union[Sequence[str], NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Optional[Union[str, float, bool]]], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        if_match: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Agent:
        """Change an agent's draft.

        The published version does not change until a member publishes the draft in the dashboard.

        Needs the scope `write:agents`.

        Args:
            name: The agent's name.
            description: What the agent is for.
            model: The model that your program asks, by any name of your own. Parlance runs no model.
            instructions: What your program tells the model.
            greeting: What your program says first.
            temperature: How much the model varies its replies.
            knowledge_base_ids: The knowledge bases your program searches for this agent, in the same environment.
            idempotency_key: Makes the change once. Default: a new UUID.
            if_match: The `etag` of the version that you have read, or `*`. None is refused.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("PATCH", "/agents/{agentId}", models.Agent.model_validate, path={"agentId": agent_id}, body={"name": name, "description": description, "model": model, "instructions": instructions, "greeting": greeting, "temperature": temperature, "knowledgeBaseIds": knowledge_base_ids, "metadata": metadata}, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout, max_retries=max_retries)

    async def delete(
        self,
        agent_id: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.DeleteAgentResult:
        """Delete an agent that was never published.

        An agent that was published can be archived in the dashboard instead, because its versions stay readable.

        Needs the scope `write:agents`.

        Args:
            idempotency_key: Makes the change once. Default: a new UUID.
            if_match: The `etag` of the version that you have read, or `*`. None is refused.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("DELETE", "/agents/{agentId}", models.DeleteAgentResult.model_validate, path={"agentId": agent_id}, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout, max_retries=max_retries)

    def versions(
        self,
        agent_id: str,
        *,
        cursor: Union[str, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> AsyncPages[models.AgentVersion]:
        """List an agent's published versions, newest first.

        Needs the scope `read:agents`.

        Args:
            cursor: `nextCursor` of the previous page.
            limit: Items per page: 1 to 100. A larger number is read as 100.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._list("GET", "/agents/{agentId}/versions", models.AgentVersion.model_validate, path={"agentId": agent_id}, query={"cursor": cursor, "limit": limit}, timeout=timeout, max_retries=max_retries)


class AsyncKnowledgeBasesDocumentsResource:
    def __init__(self, client: AsyncTransport) -> None:
        self._client = client

    def list(
        self,
        knowledge_base_id: str,
        *,
        cursor: Union[str, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        order: Union[Literal["asc", "desc"], NotGiven] = NOT_GIVEN,
        status: Union[Union[Sequence[Literal["PENDING", "PROCESSING", "READY", "FAILED"]], Literal["PENDING", "PROCESSING", "READY", "FAILED"]], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> AsyncPages[models.Document]:
        """List a knowledge base's documents, newest first.

        Needs the scope `read:knowledge`.

        Args:
            cursor: `nextCursor` of the previous page.
            limit: Items per page: 1 to 100. A larger number is read as 100.
            order: By creation: `asc` oldest first, `desc` newest first.
            status: One status or several, separated by commas.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._list("GET", "/knowledge-bases/{knowledgeBaseId}/documents", models.Document.model_validate, path={"knowledgeBaseId": knowledge_base_id}, query={"cursor": cursor, "limit": limit, "order": order, "status": status}, timeout=timeout, max_retries=max_retries)

    async def upload(
        self,
        knowledge_base_id: str,
        *,
        file: Union[FileSource, NotGiven] = NOT_GIVEN,
        name: Union[str, NotGiven] = NOT_GIVEN,
        text: Union[str, NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Union[str, float, bool]], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Document:
        """Upload a document.

        Send a file as `multipart/form-data` (txt, md, html, csv, json, pdf or docx, at most 20 MiB), or text as JSON. The document is `PENDING` until its text has been read; then it is `READY`, or `FAILED` with the reason.

        Needs the scope `write:knowledge`.

        Args:
            file: The file, in place of `text`: bytes, an open file, or a pair of name and one of them.
            name: The document's name.
            text: The text that searches find, in place of a file.
            idempotency_key: Makes the change once. Default: a new UUID.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("POST", "/knowledge-bases/{knowledgeBaseId}/documents", models.Document.model_validate, path={"knowledgeBaseId": knowledge_base_id}, body={"name": name, "text": text, "metadata": metadata}, file=file, idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)

    async def get(
        self,
        knowledge_base_id: str,
        document_id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Document:
        """Get a document.

        Needs the scope `read:knowledge`.

        Args:
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("GET", "/knowledge-bases/{knowledgeBaseId}/documents/{documentId}", models.Document.model_validate, path={"knowledgeBaseId": knowledge_base_id, "documentId": document_id}, timeout=timeout, max_retries=max_retries)

    async def replace(
        self,
        knowledge_base_id: str,
        document_id: str,
        *,
        file: Union[FileSource, NotGiven] = NOT_GIVEN,
        name: Union[str, NotGiven] = NOT_GIVEN,
        text: Union[str, NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        if_match: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Document:
        """Replace a document.

        Send the new file as `multipart/form-data`, or text as JSON. The document has the same id and the new file's name, and is processed again. A search finds the earlier text until the new one is `READY`, and also if the new file cannot be read.

        Needs the scope `write:knowledge`.

        Args:
            file: The file, in place of `text`: bytes, an open file, or a pair of name and one of them.
            name: The document's name.
            text: The text that searches find, in place of a file.
            idempotency_key: Makes the change once. Default: a new UUID.
            if_match: The `etag` of the version that you have read, or `*`. None is refused.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("PUT", "/knowledge-bases/{knowledgeBaseId}/documents/{documentId}", models.Document.model_validate, path={"knowledgeBaseId": knowledge_base_id, "documentId": document_id}, body={"name": name, "text": text}, file=file, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout, max_retries=max_retries)

    async def update(
        self,
        knowledge_base_id: str,
        document_id: str,
        *,
        name: Union[str, NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Optional[Union[str, float, bool]]], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        if_match: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Document:
        """Rename a document, or change its metadata.

        Needs the scope `write:knowledge`.

        Args:
            name: The document's name.
            idempotency_key: Makes the change once. Default: a new UUID.
            if_match: The `etag` of the version that you have read, or `*`. None is refused.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("PATCH", "/knowledge-bases/{knowledgeBaseId}/documents/{documentId}", models.Document.model_validate, path={"knowledgeBaseId": knowledge_base_id, "documentId": document_id}, body={"name": name, "metadata": metadata}, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout, max_retries=max_retries)

    async def delete(
        self,
        knowledge_base_id: str,
        document_id: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.DeleteDocumentResult:
        """Delete a document, its text and its file.

        Needs the scope `write:knowledge`.

        Args:
            idempotency_key: Makes the change once. Default: a new UUID.
            if_match: The `etag` of the version that you have read, or `*`. None is refused.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("DELETE", "/knowledge-bases/{knowledgeBaseId}/documents/{documentId}", models.DeleteDocumentResult.model_validate, path={"knowledgeBaseId": knowledge_base_id, "documentId": document_id}, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout, max_retries=max_retries)

    async def get_file(
        self,
        knowledge_base_id: str,
        document_id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.DocumentFile:
        """Get a document's file, with a new link to download it.

        Needs the scope `read:knowledge`.

        Args:
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("GET", "/knowledge-bases/{knowledgeBaseId}/documents/{documentId}/file", models.DocumentFile.model_validate, path={"knowledgeBaseId": knowledge_base_id, "documentId": document_id}, timeout=timeout, max_retries=max_retries)

    async def retry(
        self,
        knowledge_base_id: str,
        document_id: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Document:
        """Process a failed document again.

        Its file is stored, so nothing is uploaded. A document that waits or is being processed stays as it is.

        Needs the scope `write:knowledge`.

        Args:
            idempotency_key: Makes the change once. Default: a new UUID.
            if_match: The `etag` of the version that you have read, or `*`. None is refused.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("POST", "/knowledge-bases/{knowledgeBaseId}/documents/{documentId}/retry", models.Document.model_validate, path={"knowledgeBaseId": knowledge_base_id, "documentId": document_id}, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout, max_retries=max_retries)


class AsyncKnowledgeBasesResource:
    def __init__(self, client: AsyncTransport) -> None:
        self._client = client
        self.documents = AsyncKnowledgeBasesDocumentsResource(client)

    def list(
        self,
        *,
        cursor: Union[str, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        order: Union[Literal["asc", "desc"], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> AsyncPages[models.KnowledgeBase]:
        """List knowledge bases, newest first.

        Needs the scope `read:knowledge`.

        Args:
            cursor: `nextCursor` of the previous page.
            limit: Items per page: 1 to 100. A larger number is read as 100.
            order: By creation: `asc` oldest first, `desc` newest first.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._list("GET", "/knowledge-bases", models.KnowledgeBase.model_validate, query={"cursor": cursor, "limit": limit, "order": order}, timeout=timeout, max_retries=max_retries)

    async def create(
        self,
        *,
        name: str,
        description: Union[Optional[str], NotGiven] = NOT_GIVEN,
        language: Union[Optional[Literal["da", "de", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ro", "ru", "sv", "tr"]], NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Union[str, float, bool]], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.KnowledgeBase:
        """Create a knowledge base.

        Needs the scope `write:knowledge`.

        Args:
            name: The knowledge base's name. Unique in the environment.
            description: What the documents are about.
            language: The language of the documents. A search then finds every form of a word, and ignores the most common words. Without it, words match only as they are written. It cannot be changed later.
            idempotency_key: Makes the change once. Default: a new UUID.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("POST", "/knowledge-bases", models.KnowledgeBase.model_validate, body={"name": name, "description": description, "language": language, "metadata": metadata}, idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)

    async def get(
        self,
        knowledge_base_id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.KnowledgeBase:
        """Get a knowledge base.

        Needs the scope `read:knowledge`.

        Args:
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("GET", "/knowledge-bases/{knowledgeBaseId}", models.KnowledgeBase.model_validate, path={"knowledgeBaseId": knowledge_base_id}, timeout=timeout, max_retries=max_retries)

    async def update(
        self,
        knowledge_base_id: str,
        *,
        name: Union[str, NotGiven] = NOT_GIVEN,
        description: Union[Optional[str], NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Optional[Union[str, float, bool]]], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        if_match: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.KnowledgeBase:
        """Change a knowledge base.

        Changes its name, description and metadata. To change the language, create a knowledge base in the new one and upload the documents to it.

        Needs the scope `write:knowledge`.

        Args:
            name: The knowledge base's name. Unique in the environment.
            description: What the documents are about.
            idempotency_key: Makes the change once. Default: a new UUID.
            if_match: The `etag` of the version that you have read, or `*`. None is refused.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("PATCH", "/knowledge-bases/{knowledgeBaseId}", models.KnowledgeBase.model_validate, path={"knowledgeBaseId": knowledge_base_id}, body={"name": name, "description": description, "metadata": metadata}, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout, max_retries=max_retries)

    async def delete(
        self,
        knowledge_base_id: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.DeleteKnowledgeBaseResult:
        """Delete a knowledge base and its documents.

        The knowledge base and its documents are gone immediately, however many there are. Their files are removed in the background. Agents that refer to it keep its id.

        Needs the scope `write:knowledge`.

        Args:
            idempotency_key: Makes the change once. Default: a new UUID.
            if_match: The `etag` of the version that you have read, or `*`. None is refused.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("DELETE", "/knowledge-bases/{knowledgeBaseId}", models.DeleteKnowledgeBaseResult.model_validate, path={"knowledgeBaseId": knowledge_base_id}, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout, max_retries=max_retries)

    async def search(
        self,
        knowledge_base_id: str,
        *,
        q: str,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.SearchResultPage:
        """Search the documents of a knowledge base.

        Full-text search, best document first. Every word must occur, in any form that it has in the language of the knowledge base. Without a language, `lamp` does not find “lamps”, but `lamp or lamps` finds both.

        Needs the scope `read:knowledge`.

        Args:
            q: The words to find, all of them. Use "several words" for a phrase, `or` between alternatives, and `-` before a word that must not occur.
            limit: Documents at most: 1 to 50. A larger number is read as 50.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("GET", "/knowledge-bases/{knowledgeBaseId}/search", models.SearchResultPage.model_validate, path={"knowledgeBaseId": knowledge_base_id}, query={"q": q, "limit": limit}, timeout=timeout, max_retries=max_retries)


class AsyncKnowledgeResource:
    def __init__(self, client: AsyncTransport) -> None:
        self._client = client

    async def search(
        self,
        *,
        q: str,
        knowledge_base_ids: Sequence[str],
        match: Union[Literal["all", "any"], NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        neighbors: Union[int, NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.KnowledgeHitPage:
        """Search several knowledge bases.

        Returns the parts of documents that fit best, as plain text. Words match in every form that they have in the language of the knowledge base.

        Needs the scope `read:knowledge`.

        Args:
            q: The words to find. Use "several words" for a phrase, and `-` before a word that must not occur.
            knowledge_base_ids: The knowledge bases to search, such as those of an agent.
            limit: The most results to return: 1 to 50.
            neighbors: How many parts before and after each result to return with it.
            idempotency_key: Makes the change once. Default: a new UUID.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("POST", "/knowledge/search", models.KnowledgeHitPage.model_validate, body={"q": q, "knowledgeBaseIds": knowledge_base_ids, "match": match, "limit": limit, "neighbors": neighbors}, idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)


class AsyncWebhooksDeliveriesResource:
    def __init__(self, client: AsyncTransport) -> None:
        self._client = client

    def list(
        self,
        webhook_id: str,
        *,
        cursor: Union[str, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        order: Union[Literal["asc", "desc"], NotGiven] = NOT_GIVEN,
        status: Union[Union[Sequence[Literal["PENDING", "DELIVERED", "FAILED", "HELD", "DISCARDED"]], Literal["PENDING", "DELIVERED", "FAILED", "HELD", "DISCARDED"]], NotGiven] = NOT_GIVEN,
        event_type: Union[Literal["conversation.created", "conversation.updated", "conversation.status_changed", "conversation.deleted", "message.received", "message.sent", "message.redacted", "customer.created", "customer.updated", "customer.deleted", "customer.erased", "agent.created", "agent.updated", "agent.published", "agent.deleted", "knowledge_base.created", "knowledge_base.updated", "knowledge_base.deleted", "document.created", "document.updated", "document.ready", "document.failed", "document.deleted", "webhook.disabled", "webhook.test"], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> AsyncPages[models.Delivery]:
        """List a webhook's deliveries, newest first.

        Needs the scope `read:webhooks`.

        Args:
            cursor: `nextCursor` of the previous page.
            limit: Items per page: 1 to 100. A larger number is read as 100.
            order: By creation: `asc` oldest first, `desc` newest first.
            status: One status or several, separated by commas.
            event_type: What happened. New names may be added.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._list("GET", "/webhooks/{webhookId}/deliveries", models.Delivery.model_validate, path={"webhookId": webhook_id}, query={"cursor": cursor, "limit": limit, "order": order, "status": status, "eventType": event_type}, timeout=timeout, max_retries=max_retries)

    async def get(
        self,
        webhook_id: str,
        delivery_id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.DeliveryWithAttempts:
        """Get a delivery with its attempts.

        Needs the scope `read:webhooks`.

        Args:
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("GET", "/webhooks/{webhookId}/deliveries/{deliveryId}", models.DeliveryWithAttempts.model_validate, path={"webhookId": webhook_id, "deliveryId": delivery_id}, timeout=timeout, max_retries=max_retries)

    async def resend(
        self,
        webhook_id: str,
        delivery_id: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Delivery:
        """Resend a delivery.

        Sends the same event with the same id and a new signature, even if the webhook is disabled. If it succeeds, the delivery becomes `DELIVERED` and further retries are canceled. If it fails, nothing changes and the failure is not counted.

        Needs the scope `write:webhooks`.

        Args:
            idempotency_key: Makes the change once. Default: a new UUID.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("POST", "/webhooks/{webhookId}/deliveries/{deliveryId}/resend", models.Delivery.model_validate, path={"webhookId": webhook_id, "deliveryId": delivery_id}, idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)


class AsyncWebhooksResource:
    def __init__(self, client: AsyncTransport) -> None:
        self._client = client
        self.deliveries = AsyncWebhooksDeliveriesResource(client)

    def list(
        self,
        *,
        cursor: Union[str, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        order: Union[Literal["asc", "desc"], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> AsyncPages[models.Webhook]:
        """List webhooks, newest first.

        Needs the scope `read:webhooks`.

        Args:
            cursor: `nextCursor` of the previous page.
            limit: Items per page: 1 to 100. A larger number is read as 100.
            order: By creation: `asc` oldest first, `desc` newest first.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._list("GET", "/webhooks", models.Webhook.model_validate, query={"cursor": cursor, "limit": limit, "order": order}, timeout=timeout, max_retries=max_retries)

    async def create(
        self,
        *,
        url: str,
        events: Sequence[str],
        description: Union[Optional[str], NotGiven] = NOT_GIVEN,
        filter: Union[Optional[params.CreateWebhookBodyFilter], NotGiven] = NOT_GIVEN,
        headers: Union[Mapping[str, str], NotGiven] = NOT_GIVEN,
        max_per_second: Union[Optional[int], NotGiven] = NOT_GIVEN,
        ordering: Union[Literal["none", "conversation"], NotGiven] = NOT_GIVEN,
        on_exhausted: Union[Literal["continue", "hold"], NotGiven] = NOT_GIVEN,
        signature_scheme: Union[Literal["hmac", "ed25519", "both"], NotGiven] = NOT_GIVEN,
        accepts_replies: Union[bool, NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Union[str, float, bool]], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.WebhookWithSecret:
        """Create a webhook and show its secret once.

        Needs the scope `write:webhooks`.

        Args:
            url: Where events are sent: https, or http in test. Private addresses are refused.
            description: What the webhook is for.
            events: Names from the event catalog, a family such as `conversation.*`, or `*` for all.
            filter: Sends only events about conversations and messages whose conversation matches every field. A field takes one value or a list, of which one has to match. Events about anything else are not filtered.
            headers: Headers that every request to the receiver carries, such as `Authorization`: at most 10. Their values are encrypted at rest and never returned.
            max_per_second: The maximum number of attempts that start within any second, with tests and resends. Null for no limit. Deliveries that wait use up no attempts.
            accepts_replies: Whether a successful response to `message.received` can contain a reply: `{"reply": {"text": "…"}}` is posted once to the conversation, as a message of its agent.
            idempotency_key: Makes the change once. Default: a new UUID.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("POST", "/webhooks", models.WebhookWithSecret.model_validate, body={"url": url, "description": description, "events": events, "filter": filter, "headers": headers, "maxPerSecond": max_per_second, "ordering": ordering, "onExhausted": on_exhausted, "signatureScheme": signature_scheme, "acceptsReplies": accepts_replies, "metadata": metadata}, idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)

    async def get(
        self,
        webhook_id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Webhook:
        """Get a webhook.

        Needs the scope `read:webhooks`.

        Args:
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("GET", "/webhooks/{webhookId}", models.Webhook.model_validate, path={"webhookId": webhook_id}, timeout=timeout, max_retries=max_retries)

    async def update(
        self,
        webhook_id: str,
        *,
        url: Union[str, NotGiven] = NOT_GIVEN,
        description: Union[Optional[str], NotGiven] = NOT_GIVEN,
        events: Union[Sequence[str], NotGiven] = NOT_GIVEN,
        filter: Union[Optional[params.UpdateWebhookBodyFilter], NotGiven] = NOT_GIVEN,
        headers: Union[Optional[Mapping[str, Optional[str]]], NotGiven] = NOT_GIVEN,
        status: Union[Literal["ENABLED", "DISABLED"], NotGiven] = NOT_GIVEN,
        max_per_second: Union[Optional[int], NotGiven] = NOT_GIVEN,
        ordering: Union[Literal["none", "conversation"], NotGiven] = NOT_GIVEN,
        on_exhausted: Union[Literal["continue", "hold"], NotGiven] = NOT_GIVEN,
        signature_scheme: Union[Literal["hmac", "ed25519", "both"], NotGiven] = NOT_GIVEN,
        accepts_replies: Union[bool, NotGiven] = NOT_GIVEN,
        metadata: Union[Mapping[str, Optional[Union[str, float, bool]]], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        if_match: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Webhook:
        """Change a webhook, disable it or enable it again.

        Needs the scope `write:webhooks`.

        Args:
            url: Where events are sent: https, or http in test. Private addresses are refused.
            description: What the webhook is for.
            events: Names from the event catalog, a family such as `conversation.*`, or `*` for all.
            filter: Sends only events about conversations and messages whose conversation matches every field. A field takes one value or a list, of which one has to match. Events about anything else are not filtered.
            headers: Headers that every request to the receiver carries, such as `Authorization`: at most 10. Their values are encrypted at rest and never returned. Merged into the stored headers, name by name. A null removes a header.
            status: `ENABLED` resets the count of consecutive failures.
            max_per_second: The maximum number of attempts that start within any second, with tests and resends. Null for no limit. Deliveries that wait use up no attempts.
            accepts_replies: Whether a successful response to `message.received` can contain a reply: `{"reply": {"text": "…"}}` is posted once to the conversation, as a message of its agent.
            idempotency_key: Makes the change once. Default: a new UUID.
            if_match: The `etag` of the version that you have read, or `*`. None is refused.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("PATCH", "/webhooks/{webhookId}", models.Webhook.model_validate, path={"webhookId": webhook_id}, body={"url": url, "description": description, "events": events, "filter": filter, "headers": headers, "status": status, "maxPerSecond": max_per_second, "ordering": ordering, "onExhausted": on_exhausted, "signatureScheme": signature_scheme, "acceptsReplies": accepts_replies, "metadata": metadata}, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout, max_retries=max_retries)

    async def delete(
        self,
        webhook_id: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Union[Optional[str], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.DeleteWebhookResult:
        """Delete a webhook and its deliveries.

        Needs the scope `write:webhooks`.

        Args:
            idempotency_key: Makes the change once. Default: a new UUID.
            if_match: The `etag` of the version that you have read, or `*`. None is refused.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("DELETE", "/webhooks/{webhookId}", models.DeleteWebhookResult.model_validate, path={"webhookId": webhook_id}, idempotency_key=idempotency_key, if_match=if_match, timeout=timeout, max_retries=max_retries)

    async def rotate_secret(
        self,
        webhook_id: str,
        *,
        overlap_seconds: Union[int, NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.WebhookWithSecret:
        """Rotate a webhook's secret and show the new one once.

        Deliveries are signed with the new secret first, and with the previous one too until the overlap ends: after 24 hours, or after `overlapSeconds`. Until then, another rotation is rejected, unless its `overlapSeconds` is 0, which ends every older secret immediately. The body is optional.

        Needs the scope `write:webhooks`.

        Args:
            overlap_seconds: How long the previous secret also signs, in seconds. 0 ends every older secret immediately.
            idempotency_key: Makes the change once. Default: a new UUID.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("POST", "/webhooks/{webhookId}/rotate-secret", models.WebhookWithSecret.model_validate, path={"webhookId": webhook_id}, body={"overlapSeconds": overlap_seconds}, idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)

    async def test(
        self,
        webhook_id: str,
        *,
        type: Union[Literal["conversation.created", "conversation.updated", "conversation.status_changed", "conversation.deleted", "message.received", "message.sent", "message.redacted", "customer.created", "customer.updated", "customer.deleted", "customer.erased", "agent.created", "agent.updated", "agent.published", "agent.deleted", "knowledge_base.created", "knowledge_base.updated", "knowledge_base.deleted", "document.created", "document.updated", "document.ready", "document.failed", "document.deleted", "webhook.disabled", "webhook.test"], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Delivery:
        """Send a test event to a webhook.

        Sends `webhook.test` to this webhook only, whatever it subscribes to, even if it is disabled. With `type`, it sends the example of another event type instead, under the id of the test. The feed of events lists it as `webhook.test`, so that readers do not mistake the example for a real event. There is one attempt, and a failure is not counted. Get the delivery to see the result.

        Needs the scope `write:webhooks`.

        Args:
            type: The type of the event to send. Of any other than `webhook.test`, the example of the catalog is sent.
            idempotency_key: Makes the change once. Default: a new UUID.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("POST", "/webhooks/{webhookId}/test", models.Delivery.model_validate, path={"webhookId": webhook_id}, body={"type": type}, idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)

    async def recover(
        self,
        webhook_id: str,
        *,
        since: Union[str, datetime],
        until: Union[str, datetime, NotGiven] = NOT_GIVEN,
        dry_run: Union[bool, NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Recovery:
        """Resend failed and held deliveries.

        Every delivery of that period that is `FAILED` or `HELD`, except tests, starts a new retry schedule. They are sent in the background, at most 50 per second. With `dryRun` they are only counted, which also works while the webhook is disabled.

        Needs the scope `write:webhooks`.

        Args:
            since: Deliveries of events of this time or later.
            until: And of this time or earlier. Default: now.
            dry_run: Counts what would be sent, and sends nothing.
            idempotency_key: Makes the change once. Default: a new UUID.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("POST", "/webhooks/{webhookId}/recover", models.Recovery.model_validate, path={"webhookId": webhook_id}, body={"since": since, "until": until, "dryRun": dry_run}, idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)

    async def replay(
        self,
        webhook_id: str,
        *,
        since: Union[str, datetime],
        until: Union[str, datetime, NotGiven] = NOT_GIVEN,
        event_types: Union[Sequence[Literal["conversation.created", "conversation.updated", "conversation.status_changed", "conversation.deleted", "message.received", "message.sent", "message.redacted", "customer.created", "customer.updated", "customer.deleted", "customer.erased", "agent.created", "agent.updated", "agent.published", "agent.deleted", "knowledge_base.created", "knowledge_base.updated", "knowledge_base.deleted", "document.created", "document.updated", "document.ready", "document.failed", "document.deleted", "webhook.disabled", "webhook.test"]], NotGiven] = NOT_GIVEN,
        statuses: Union[Sequence[Literal["DELIVERED", "FAILED", "HELD", "DISCARDED", "NONE"]], NotGiven] = NOT_GIVEN,
        dry_run: Union[bool, NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Replay:
        """Replay events.

        Sends every event of that period that the webhook subscribes to: those that were delivered too, and those from before the webhook was created. Each event is sent once per replay, by its one delivery to the webhook, with a new retry schedule. They are sent in the background, oldest first, at most 50 per second. Events are stored for 30 days. With `dryRun` they are only counted, which also works while the webhook is disabled.

        Needs the scope `write:webhooks`.

        Args:
            since: Events of this time or later.
            until: And of this time or earlier. Default: now.
            event_types: Only these types, of those that the webhook subscribes to.
            statuses: Only events whose delivery has one of these statuses. Default: any. A `PENDING` delivery is on its way and is never replayed.
            dry_run: Counts what would be sent, and sends nothing.
            idempotency_key: Makes the change once. Default: a new UUID.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("POST", "/webhooks/{webhookId}/replay", models.Replay.model_validate, path={"webhookId": webhook_id}, body={"since": since, "until": until, "eventTypes": event_types, "statuses": statuses, "dryRun": dry_run}, idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)


class AsyncEventsResource:
    def __init__(self, client: AsyncTransport) -> None:
        self._client = client

    def list(
        self,
        *,
        cursor: Union[str, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        order: Union[Literal["asc", "desc"], NotGiven] = NOT_GIVEN,
        type: Union[Literal["conversation.created", "conversation.updated", "conversation.status_changed", "conversation.deleted", "message.received", "message.sent", "message.redacted", "customer.created", "customer.updated", "customer.deleted", "customer.erased", "agent.created", "agent.updated", "agent.published", "agent.deleted", "knowledge_base.created", "knowledge_base.updated", "knowledge_base.deleted", "document.created", "document.updated", "document.ready", "document.failed", "document.deleted", "webhook.disabled", "webhook.test"], NotGiven] = NOT_GIVEN,
        since: Union[str, datetime, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> AsyncPages[models.Event]:
        """List events, newest first.

        With `order=asc`, a client that continues after the last event it has read misses nothing and reads nothing twice: an event appears only after every event before it. Events are listed for at least 30 days. An event's id remains valid as a cursor for another 30 days.

        Needs the scope `read:webhooks`.

        Args:
            cursor: `nextCursor` of the previous page.
            limit: Items per page: 1 to 100. A larger number is read as 100.
            order: By creation: `asc` oldest first, `desc` newest first.
            type: What happened. New names may be added.
            since: Only events of this time or later.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._list("GET", "/events", parse_event, query={"cursor": cursor, "limit": limit, "order": order, "type": type, "since": since}, timeout=timeout, max_retries=max_retries)

    def stream(
        self,
        *,
        cursor: Union[str, NotGiven] = NOT_GIVEN,
        types: Union[Union[Sequence[Literal["conversation.created", "conversation.updated", "conversation.status_changed", "conversation.deleted", "message.received", "message.sent", "message.redacted", "customer.created", "customer.updated", "customer.deleted", "customer.erased", "agent.created", "agent.updated", "agent.published", "agent.deleted", "knowledge_base.created", "knowledge_base.updated", "knowledge_base.deleted", "document.created", "document.updated", "document.ready", "document.failed", "document.deleted", "webhook.disabled", "webhook.test"]], Literal["conversation.created", "conversation.updated", "conversation.status_changed", "conversation.deleted", "message.received", "message.sent", "message.redacted", "customer.created", "customer.updated", "customer.deleted", "customer.erased", "agent.created", "agent.updated", "agent.published", "agent.deleted", "knowledge_base.created", "knowledge_base.updated", "knowledge_base.deleted", "document.created", "document.updated", "document.ready", "document.failed", "document.deleted", "webhook.disabled", "webhook.test"]], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> AsyncIterator[models.Event]:
        """Stream events as they happen.

        The response is a stream of server-sent events that does not end: each has the event's id and, as `data`, the event. They are in the order of the ascending feed, which is gap-free: a client that reconnects with the last id it received, in `Last-Event-ID` or as `cursor`, misses nothing and receives nothing twice. The stream sends an event or a comment at least every 15 seconds. A key has at most 10 open streams, and an environment at most 100, over all keys. Opening one counts as one request.

        Needs the scope `read:webhooks`.

        Args:
            cursor: The id of the last event that you have: the stream continues after it. `start` begins with the oldest stored event. Without a cursor, the stream begins with the next event. The header `Last-Event-ID` takes precedence.
            types: Only events of these types, separated by commas.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._stream(query={"cursor": cursor, "types": types}, timeout=timeout, max_retries=max_retries)

    async def get(
        self,
        event_id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Event:
        """Get an event.

        Needs the scope `read:webhooks`.

        Args:
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("GET", "/events/{eventId}", parse_event, path={"eventId": event_id}, timeout=timeout, max_retries=max_retries)

    async def types(
        self,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.EventTypeInfoPage:
        """List the event types, each with its JSON Schema and an example.

        Needs the scope `read:webhooks`.

        Args:
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("GET", "/event-types", models.EventTypeInfoPage.model_validate, timeout=timeout, max_retries=max_retries)


class AsyncMembersResource:
    def __init__(self, client: AsyncTransport) -> None:
        self._client = client

    def list(
        self,
        *,
        cursor: Union[str, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        order: Union[Literal["asc", "desc"], NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> AsyncPages[models.Member]:
        """List the members, to assign conversations to them.

        The `id` of a member is what `assigneeId` of a conversation takes. The members are the same in both environments. Those whose access is suspended are not listed.

        Needs the scope `read:conversations`.

        Args:
            cursor: `nextCursor` of the previous page.
            limit: Items per page: 1 to 100. A larger number is read as 100.
            order: By creation: `asc` oldest first, `desc` newest first.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._list("GET", "/members", models.Member.model_validate, query={"cursor": cursor, "limit": limit, "order": order}, timeout=timeout, max_retries=max_retries)


class AsyncRequestLogsResource:
    def __init__(self, client: AsyncTransport) -> None:
        self._client = client

    def list(
        self,
        *,
        cursor: Union[str, NotGiven] = NOT_GIVEN,
        limit: Union[int, NotGiven] = NOT_GIVEN,
        order: Union[Literal["asc", "desc"], NotGiven] = NOT_GIVEN,
        api_key_id: Union[str, NotGiven] = NOT_GIVEN,
        method: Union[Literal["HEAD", "GET", "POST", "PUT", "PATCH", "DELETE"], NotGiven] = NOT_GIVEN,
        status: Union[str, NotGiven] = NOT_GIVEN,
        error_kind: Union[str, NotGiven] = NOT_GIVEN,
        idempotency_key: Union[str, NotGiven] = NOT_GIVEN,
        path: Union[str, NotGiven] = NOT_GIVEN,
        since: Union[str, datetime, NotGiven] = NOT_GIVEN,
        until: Union[str, datetime, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> AsyncPages[models.RequestLog]:
        """List requests to the API, newest first.

        A request appears within about two seconds of its response, so one that took longer can appear behind newer ones. Successful reads of this list are left out, unless `path` selects them. A page can have fewer items than `limit`, or none, and a `nextCursor`: few of the requests that were searched match the filters.

        Needs the scope `read:usage`.

        Args:
            cursor: `nextCursor` of the previous page.
            limit: Items per page: 1 to 100. A larger number is read as 100.
            order: By creation: `asc` oldest first, `desc` newest first.
            api_key_id: Only requests with this key.
            method: Only requests with this method.
            status: Only responses with this status, or with one of its class: `4xx`, `5xx`, or `2xx` for all below 400.
            error_kind: Only errors of this kind, such as `rate-limited`.
            idempotency_key: Only requests with this `Idempotency-Key`.
            path: Only requests whose path starts with this.
            since: Only requests of this time or later.
            until: Only requests before this time.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return self._client._list("GET", "/request-logs", models.RequestLog.model_validate, query={"cursor": cursor, "limit": limit, "order": order, "apiKeyId": api_key_id, "method": method, "status": status, "errorKind": error_kind, "idempotencyKey": idempotency_key, "path": path, "since": since, "until": until}, timeout=timeout, max_retries=max_retries)

    async def get(
        self,
        request_id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.RequestLogWithBodies:
        """Get a request to the API, with its bodies.

        Needs the scope `read:usage`.

        Args:
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("GET", "/request-logs/{requestId}", models.RequestLogWithBodies.model_validate, path={"requestId": request_id}, timeout=timeout, max_retries=max_retries)


class AsyncUsageResource:
    def __init__(self, client: AsyncTransport) -> None:
        self._client = client

    async def get(
        self,
        *,
        from_: Union[str, NotGiven] = NOT_GIVEN,
        to: Union[str, NotGiven] = NOT_GIVEN,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Usage:
        """Get usage per day and in total.

        This month by default, and at most 366 days. Usage with test keys is counted too, and never billed.

        Needs the scope `read:usage`.

        Args:
            from_: The first day (UTC). Default: the first day of the month of `to`.
            to: The last day (UTC). Default: the last day of this month.
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("GET", "/usage", models.Usage.model_validate, query={"from": from_, "to": to}, timeout=timeout, max_retries=max_retries)


class AsyncAccountResource:
    def __init__(self, client: AsyncTransport) -> None:
        self._client = client

    async def get(
        self,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> models.Account:
        """Get the account and the API key of the request.

        Needs the scope `read:usage`.

        Args:
            timeout: Seconds for each attempt.
            max_retries: Attempts after the first one.
        """
        return await self._client._call("GET", "/account", models.Account.model_validate, timeout=timeout, max_retries=max_retries)


class Resources(Transport):
    """Every resource of the API."""

    def _add_resources(self) -> None:
        self.conversations = ConversationsResource(self)
        self.files = FilesResource(self)
        self.customers = CustomersResource(self)
        self.erasures = ErasuresResource(self)
        self.agents = AgentsResource(self)
        self.knowledge_bases = KnowledgeBasesResource(self)
        self.knowledge = KnowledgeResource(self)
        self.webhooks = WebhooksResource(self)
        self.events = EventsResource(self)
        self.members = MembersResource(self)
        self.request_logs = RequestLogsResource(self)
        self.usage = UsageResource(self)
        self.account = AccountResource(self)


class AsyncResources(AsyncTransport):
    """Every resource of the API."""

    def _add_resources(self) -> None:
        self.conversations = AsyncConversationsResource(self)
        self.files = AsyncFilesResource(self)
        self.customers = AsyncCustomersResource(self)
        self.erasures = AsyncErasuresResource(self)
        self.agents = AsyncAgentsResource(self)
        self.knowledge_bases = AsyncKnowledgeBasesResource(self)
        self.knowledge = AsyncKnowledgeResource(self)
        self.webhooks = AsyncWebhooksResource(self)
        self.events = AsyncEventsResource(self)
        self.members = AsyncMembersResource(self)
        self.request_logs = AsyncRequestLogsResource(self)
        self.usage = AsyncUsageResource(self)
        self.account = AsyncAccountResource(self)
