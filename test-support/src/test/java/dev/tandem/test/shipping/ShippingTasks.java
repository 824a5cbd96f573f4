package dev.tandem.test.shipping;

import dev.tandem.api.Key;
import dev.tandem.api.TaskGateway;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskType;

@TaskGateway(queue = "orders")
interface ShippingTasks {

    @TaskType("ship")
    TaskRef<Receipt> ship(@Key String customer, Ship ship, TaskOptions... options);
}
