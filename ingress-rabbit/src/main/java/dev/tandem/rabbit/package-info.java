/**
 * RabbitMQ as a source of tasks, and the publisher of tasks to RabbitMQ. The thread of the queue's loop owns the
 * partitions and sends the acks; a second thread makes the calls that wait for the broker.
 */
@NullMarked
package dev.tandem.rabbit;

import org.jspecify.annotations.NullMarked;
