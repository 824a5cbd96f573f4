package dev.tandem.spring.shop;

import dev.tandem.api.Key;
import dev.tandem.api.TaskGateway;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskType;
import java.util.List;

@TaskGateway(queue = "${shop.queue}")
public interface ShopTasks {

    @TaskType("ship")
    TaskRef<Receipt> ship(@Key String customer, Ship ship, TaskOptions... options);

    @TaskType("slow")
    void slow(String order);

    @TaskType("ship-all")
    TaskRef<Void> shipAll(List<Ship> ships);

    @TaskType("pack")
    TaskRef<Void> pack(@Key String customer, Object ship);

    @TaskType("cancel")
    void cancel(String order, TaskOptions options);

    @TaskType("revoke")
    void revoke(String order);

    @TaskType("bill")
    void bill(Ship ship);

    @TaskType("refund")
    void refund(Ship ship);

    default TaskRef<Receipt> shipOne(String customer, String order) {
        return ship(customer, new Ship(order, 1));
    }
}
