package com.example.orders;

import com.example.orders.Order.State;
import java.util.UUID;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Accepts orders. */
@Service
class OrderService {

    private final Orders orders;
    private final OrderTasks tasks;

    OrderService(Orders orders, OrderTasks tasks) {
        this.orders = orders;
        this.tasks = tasks;
    }

    /** Writes the order and its first task in one transaction: there are both, or neither. */
    @Transactional
    String place(NewOrder wanted) {
        String id = UUID.randomUUID().toString();
        orders.add(new Order(id, wanted.customer(), wanted.article(), wanted.pieces(), wanted.card(), State.PLACED));
        tasks.reserve(id, new OrderStep(id));
        return id;
    }
}
