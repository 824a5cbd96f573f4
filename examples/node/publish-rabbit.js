// Publishes tasks to a RabbitMQ queue. usage: node publish-rabbit.js [AMQP_URI [QUEUE]]
import amqp from 'amqplib'

const [uri = 'amqp://guest:guest@127.0.0.1:5672', queue = 'parcels'] = process.argv.slice(2)

const connection = await amqp.connect(uri)
const channel = await connection.createConfirmChannel()
const returned = []
// A message that no queue gets comes back, for example because no executor has declared the queue yet.
channel.on('return', (message) => returned.push(message.properties.messageId))

function publish(number, headers = {}) {
  const body = Buffer.from(JSON.stringify({ order: `o-${number}`, items: 1 }))
  channel.publish('tandem', queue, body, {
    mandatory: true,
    persistent: true,
    // Without an id Tandem cannot tell a message that is delivered again from another one.
    messageId: `node-${number}`,
    type: 'ship',
    contentType: 'application/json',
    // A queue without an order needs no key.
    headers: { 'tandem-key': `c-${number % 3}`, 'tandem-dedup-key': `order-${number}`, ...headers }
  })
}

for (let number = 0; number < 12; number++) publish(number)
publish(12, { 'tandem-delay': '2s', 'tandem-max-attempts': '3' })

await channel.waitForConfirms()
await connection.close()
if (returned.length > 0) throw new Error(`No queue got ${returned.join(', ')}`)
console.log(`Published 13 tasks to ${queue}`)
