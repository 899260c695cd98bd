<?php

const TOLERANCE_SECONDS = 300;

/** $body: the bytes as they arrived, file_get_contents("php://input"). $header: $_SERVER["HTTP_X_SERVICE_SIGNATURE"]. */
function isGenuine(string $body, string $header, string $secret, ?int $now = null): bool
{
    $timestamp = '';
    $signatures = [];
    foreach (explode(',', $header) as $pair) {
        [$name, $value] = explode('=', $pair, 2) + [1 => ''];
        if ($name === 't') {
            $timestamp = $value;
        } elseif ($name === 'v1') {
            $signatures[] = $value;
        }
    }
    if (!preg_match('/^\d{1,12}$/D', $timestamp) || abs(($now ?? time()) - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }

    $expected = hash_hmac('sha256', "$timestamp.$body", $secret);
    foreach ($signatures as $signature) {
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}
