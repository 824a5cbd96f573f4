package dev.tandem.spring.restart;

import dev.tandem.api.Key;
import dev.tandem.api.TaskGateway;
import dev.tandem.api.TaskType;

@TaskGateway(queue = "${depot.queue}")
public interface DepotTasks {

    @TaskType("send")
    void send(@Key String customer, Parcel parcel);
}
