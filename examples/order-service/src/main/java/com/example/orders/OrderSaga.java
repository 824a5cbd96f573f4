package com.example.orders;

import com.example.orders.Order.State;
import dev.tandem.api.Backoff;
import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskHandler;
import org.springframework.stereotype.Component;

/**
 * The steps of an order: reserve, pay, ship. If the payment dies, what was reserved is given back.
 *
 * <p>{@code conclude} is submitted together with {@code pay} and behind it, with the same key. So it begins when the payment
 * has ended, however it ended: it succeeded, the card was refused, its attempts were used up, or it killed every process
 * that ran it. The queue's {@code dead-head: skip} lets the steps behind a dead one run.
 */
@Component
class OrderSaga {

    private final Orders orders;
    private final Stock stock;
    private final Payments payments;
    private final Carrier carrier;
    private final Effects effects;
    private final OrderTasks tasks;
    private final MailTasks mails;

    OrderSaga(
            Orders orders,
            Stock stock,
            Payments payments,
            Carrier carrier,
            Effects effects,
            OrderTasks tasks,
            MailTasks mails) {
        this.orders = orders;
        this.stock = stock;
        this.payments = payments;
        this.carrier = carrier;
        this.effects = effects;
        this.tasks = tasks;
        this.mails = mails;
    }

    @TaskHandler(queue = OrderTasks.QUEUE, type = "reserve")
    void reserve(OrderStep step, TaskContext task) {
        Order order = orders.get(step.order());
        effects.once(task, () -> {
            if (stock.take(order.article(), order.pieces())) {
                orders.become(order.id(), State.RESERVED);
                tasks.pay(order.id(), step);
                tasks.conclude(order.id(), step);
            } else {
                orders.become(order.id(), State.SOLD_OUT);
                mails.send(Mail.about(order, "is sold out"));
            }
        });
    }

    /** Charges outside of the transaction, so at least once: the provider recognises the order. */
    @TaskHandler(
            queue = OrderTasks.QUEUE,
            type = "pay",
            timeout = "30s",
            maxAttempts = 5,
            backoff = @Backoff(initial = "1s", max = "1m"),
            deadOn = CardRefusedException.class)
    void pay(OrderStep step, TaskContext task) {
        Order order = orders.get(step.order());
        // An operator may retry a dead payment after the order was concluded.
        if (order.state() == State.RESERVED) {
            payments.charge(order.id(), order.card());
            effects.once(task, () -> orders.become(order.id(), State.PAID));
        }
    }

    @TaskHandler(queue = OrderTasks.QUEUE, type = "conclude", maxAttempts = 100)
    void conclude(OrderStep step, TaskContext task) {
        Order order = orders.get(step.order());
        if (order.state() == State.PAID) {
            effects.once(task, () -> tasks.ship(order.id(), step));
        } else if (order.state() == State.RESERVED) {
            // An attempt may have charged the card and then died.
            payments.refund(order.id());
            effects.once(task, () -> {
                stock.putBack(order.article(), order.pieces());
                orders.become(order.id(), State.CANCELLED);
                mails.send(Mail.about(order, "is cancelled, because it could not be paid"));
            });
        }
    }

    /** Passes the fencing token on, so that the carrier can refuse a process that was frozen and wakes up too late. */
    @TaskHandler(
            queue = OrderTasks.QUEUE,
            type = "ship",
            timeout = "1m",
            maxAttempts = 20,
            backoff = @Backoff(initial = "5s", max = "1h"))
    void ship(OrderStep step, TaskContext task) {
        Order order = orders.get(step.order());
        carrier.book(order.id(), task.token());
        effects.once(task, () -> {
            orders.become(order.id(), State.SHIPPED);
            mails.send(Mail.about(order, "is on its way"));
        });
    }
}
