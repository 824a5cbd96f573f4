"""Publishes tasks to a RabbitMQ queue. usage: publish_rabbit.py [AMQP_URI [QUEUE]]"""

import json
import sys

import pika

uri = sys.argv[1] if len(sys.argv) > 1 else "amqp://guest:guest@127.0.0.1:5672"
queue = sys.argv[2] if len(sys.argv) > 2 else "parcels"

connection = pika.BlockingConnection(pika.URLParameters(uri))
channel = connection.channel()
# From here on basic_publish returns once the broker has confirmed the message. With mandatory it raises an error if no
# queue gets it, for example because no executor has declared the queue yet.
channel.confirm_delivery()


def publish(number, headers):
    channel.basic_publish(
        exchange="tandem",
        routing_key=queue,
        body=json.dumps({"order": f"o-{number}", "items": 1}),
        mandatory=True,
        properties=pika.BasicProperties(
            delivery_mode=2,  # survives a restart of the broker
            # Without an id Tandem cannot tell a message that is delivered again from another one.
            message_id=f"python-{number}",
            type="ship",
            content_type="application/json",
            # A queue without an order needs no key.
            headers={"tandem-key": f"c-{number % 3}", "tandem-dedup-key": f"order-{number}", **headers},
        ),
    )


for number in range(12):
    publish(number, {})
publish(12, {"tandem-delay": "2s", "tandem-max-attempts": "3"})

connection.close()
print(f"Published 13 tasks to {queue}")
