// Publishes tasks to a Kafka queue. usage: node publish-kafka.js [BOOTSTRAP_SERVERS [TOPIC]]
import { Kafka, Partitioners, logLevel } from 'kafkajs'

const [servers = '127.0.0.1:9092', topic = 'parcels'] = process.argv.slice(2)

const kafka = new Kafka({ clientId: 'publisher', brokers: servers.split(','), logLevel: logLevel.ERROR })
const producer = kafka.producer({
  // Chooses the partition of a key as Kafka's own producer does. If two publishers disagree about it, the order of the
  // key is lost: the LegacyPartitioner of kafkajs would choose another one.
  createPartitioner: Partitioners.DefaultPartitioner,
  // Keeps the order when it sends something again.
  idempotent: true,
  maxInFlightRequests: 1
})

const task = (number, headers = {}) => ({
  key: `c-${number % 3}`,
  value: JSON.stringify({ order: `o-${number}`, items: 1 }),
  headers: {
    'tandem-id': `node-${number}`,
    'tandem-type': 'ship',
    // Two tasks with the same id are meant to be one.
    'tandem-dedup-key': `order-${number}`,
    'content-type': 'application/json',
    ...headers
  }
})

const tasks = Array.from({ length: 12 }, (_, number) => task(number))
tasks.push(task(12, { 'tandem-delay': '2s', 'tandem-max-attempts': '3' }))

await producer.connect()
try {
  // Resolves once all in-sync replicas have the tasks. Those of a call stay in their order.
  await producer.send({ topic, acks: -1, messages: tasks })
} finally {
  await producer.disconnect()
}
console.log(`Published ${tasks.length} tasks to ${topic}`)
