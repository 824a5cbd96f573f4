package dev.tandem.spring.gateways;

import dev.tandem.api.Key;
import dev.tandem.api.TaskGateway;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskType;

@TaskGateway(queue = "orders")
public interface Orders {

    @TaskType("ship")
    TaskRef<Void> ship(@Key String customer, String order);
}
