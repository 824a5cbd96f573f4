<?php
// Checks the signature of a task that Tandem has posted. Needs only PHP.
//
// WEBHOOK_KEY=whsec_... php verify_signature.php ID TIMESTAMP SIGNATURE < BODY

const TOLERANCE_SECONDS = 300;

/** Takes the key, the three headers and the bytes of the body, before anything has parsed them. */
function is_valid(string $key, string $id, string $timestamp, string $signatures, string $body): bool
{
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false; // A copy of an old request.
    }
    $secret = base64_decode(substr($key, strlen('whsec_')));
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $secret, true));
    foreach (explode(' ', $signatures) as $each) { // While keys are changed there are two. One has to fit.
        if (hash_equals($expected, $each)) {
            return true;
        }
    }
    return false;
}

$body = file_get_contents('php://stdin');
echo is_valid(getenv('WEBHOOK_KEY'), $argv[1], $argv[2], $argv[3], $body) ? "valid\n" : "invalid\n";
