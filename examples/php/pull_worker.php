<?php
// Leases tasks of a queue and works on them. usage: pull_worker.php SERVER QUEUE [--until-idle]
//
// TANDEM_TOKEN has a token with the role worker. Needs PHP 8.0 (php-cli) and nothing else.
//
// PHP does one thing at a time, so this worker takes one task at a time, and extends its lease while it works: call
// progress() every few seconds in long work.

declare(strict_types=1);

[, $server, $queue] = $argv;
$untilIdle = in_array('--until-idle', $argv, true);
$stopping = false;

/** The task can never succeed. */
class Hopeless extends Exception
{
}

/** Another worker has the task, or an operator has cancelled it. */
class Lost extends Exception
{
}

/** Does the work, and returns the result. What it throws is the error of a failed attempt. */
function handle(array $task): array
{
    $order = $task['payload'] ?? [];
    if (!isset($order['order'])) {
        throw new Hopeless('the payload has no order');
    }
    progress($task, 0, 1);
    if (($order['flaky'] ?? false) && $task['attempt'] === 1) {
        throw new RuntimeException('this one fails the first time');
    }
    echo 'done ', $task['key'] ?? '', ' ', $order['order'], "\n";
    return ['shipped' => $order['order']];
}

/** Shows how far the work is, and extends the lease. */
function progress(array $task, int $done, int $total): void
{
    [$status, $answer] = say('progress', ['lease' => $task['lease'], 'done' => $done, 'total' => $total]);
    if ($status >= 300) {
        throw new Lost($answer['detail'] ?? "status $status");
    }
}

/** Sends a request until there is an answer. The same one may be sent again: it is not done twice. */
function say(string $verb, array $body, int $timeout = 30): array
{
    global $server, $queue, $stopping;
    $context = stream_context_create(['http' => [
        'method' => 'POST',
        'header' => "Content-Type: application/json\r\nAuthorization: Bearer " . getenv('TANDEM_TOKEN'),
        'content' => json_encode($body, JSON_THROW_ON_ERROR),
        'timeout' => $timeout,
        'ignore_errors' => true,
    ]]);
    for ($pause = 1; ; $pause = min(2 * $pause, 10)) {
        $text = @file_get_contents("$server/api/v1/queues/$queue/pull/$verb", false, $context);
        $status = $text === false ? 503 : (int) explode(' ', $http_response_header[0])[1];
        if ($status !== 429 && $status !== 503) {
            return [$status, json_decode($text, true)];
        }
        if ($stopping && $verb === 'lease') {
            return [200, ['tasks' => []]];
        }
        fwrite(STDERR, "$verb: " . ($text === false ? 'no answer' : $text) . ", trying again\n");
        sleep($pause);
    }
}

function finish(string $verb, array $task, array $more = []): void
{
    [$status, $answer] = say($verb, ['lease' => $task['lease']] + $more);
    if ($status >= 300) {
        fwrite(STDERR, "$verb: " . ($answer['detail'] ?? $status) . "\n");
    }
}

function workOn(array $task): void
{
    $id = $task['id'] ?? $task['ref'];
    try {
        finish('finish', $task, ['result' => handle($task)]);
    } catch (Hopeless $reason) {
        fwrite(STDERR, "buried {$id}: {$reason->getMessage()}\n");
        finish('bury', $task, ['reason' => $reason->getMessage()]);
    } catch (Lost $lost) {
        fwrite(STDERR, "{$lost->getMessage()}\n");
    } catch (Throwable $error) {
        fwrite(STDERR, "failed {$id}: {$error->getMessage()}\n");
        finish('fail', $task, ['error' => get_class($error) . ': ' . $error->getMessage()]);
    }
}

if (function_exists('pcntl_async_signals')) {
    pcntl_async_signals(true);
    $stop = function () use (&$stopping) {
        $stopping = true;
    };
    pcntl_signal(SIGTERM, $stop);
    pcntl_signal(SIGINT, $stop);
}
while (!$stopping) {
    $wait = $untilIdle ? '2s' : '20s';
    $call = ['max' => 1, 'wait' => $wait, 'leaseTime' => '60s', 'worker' => gethostname() . '-' . getmypid()];
    [$status, $answer] = say('lease', $call, 40);
    if ($status !== 200) {
        fwrite(STDERR, "lease: {$answer['detail']}. {$answer['remedy']}\n");
        exit(1);
    }
    foreach ($answer['tasks'] as $task) {
        workOn($task);
    }
    if ($untilIdle && count($answer['tasks']) === 0) {
        break;
    }
}
