package com.example.orders;

import dev.tandem.api.Key;
import dev.tandem.api.TaskGateway;
import dev.tandem.api.TaskType;

/** Submits the steps of orders. The order is the key, so its steps run one after another. */
@TaskGateway(queue = OrderTasks.QUEUE)
public interface OrderTasks {

    String QUEUE = "shop-orders";

    @TaskType("reserve")
    void reserve(@Key String order, OrderStep step);

    @TaskType("pay")
    void pay(@Key String order, OrderStep step);

    @TaskType("conclude")
    void conclude(@Key String order, OrderStep step);

    @TaskType("ship")
    void ship(@Key String order, OrderStep step);
}
