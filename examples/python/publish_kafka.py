"""Publishes tasks to a Kafka queue. usage: publish_kafka.py [BOOTSTRAP_SERVERS [TOPIC]]"""

import json
import sys

from confluent_kafka import Producer

servers = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:9092"
topic = sys.argv[2] if len(sys.argv) > 2 else "parcels"

producer = Producer({
    "bootstrap.servers": servers,
    # Chooses the partition of a key as Kafka's own producer does. The default of this library is another one, and if
    # two publishers disagree about the partition of a key, its order is lost.
    "partitioner": "murmur2_random",
    # Waits for all in-sync replicas, and keeps the order when it sends something again.
    "enable.idempotence": True,
})
failures = []


def delivered(error, message):
    if error is not None:
        failures.append(f"{message.key()}: {error}")


def publish(number, headers):
    producer.produce(
        topic,
        key=f"c-{number % 3}",
        value=json.dumps({"order": f"o-{number}", "items": 1}),
        headers={
            "tandem-id": f"python-{number}",
            "tandem-type": "ship",
            # Two tasks with the same id are meant to be one.
            "tandem-dedup-key": f"order-{number}",
            "content-type": "application/json",
            **headers,
        },
        on_delivery=delivered,
    )
    producer.poll(0)


for number in range(12):
    publish(number, {})
publish(12, {"tandem-delay": "2s", "tandem-max-attempts": "3"})

unsent = producer.flush(30)
if unsent or failures:
    sys.exit(f"{unsent} tasks were not acknowledged, others failed: {failures}")
print(f"Published 13 tasks to {topic}")
