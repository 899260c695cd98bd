from __future__ import annotations

from ._generated.resources import AsyncResources, Resources


class Parlance(Resources):
    """The client for one environment of an organization, which the API key determines.

    Use it only on a server: anyone who has the key can do everything that its scopes allow.

        with Parlance("prl_test_…", base_url="https://parlance.example.com") as parlance:
            for conversation in parlance.conversations.list(status="OPEN"):
                print(conversation.id)

    Args:
        api_key: Default: the environment variable `PARLANCE_API_KEY`.
        base_url: The URL of the service. Default: the environment variable `PARLANCE_BASE_URL`,
            or else http://localhost:3000.
        timeout: Seconds for each attempt.
        max_retries: Attempts after the first one.
        default_headers: Sent with every request.
        http_client: An `httpx.Client` of your own, for proxies or certificates.
        wait: Replaces the pause between attempts, for tests that do not want to wait.
    """


class AsyncParlance(AsyncResources):
    """Like `Parlance`, for `async` and `await`.

    async with AsyncParlance("prl_test_…") as parlance:
        async for conversation in parlance.conversations.list(status="OPEN"):
            print(conversation.id)
    """
