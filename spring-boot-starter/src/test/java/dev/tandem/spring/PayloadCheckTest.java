package dev.tandem.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.api.HandlerOptions;
import dev.tandem.api.Result;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

class PayloadCheckTest {

    interface Parcel {}

    record Ship(String order) implements Parcel {}

    record Shipment(String order) {}

    private static List<String> differences(Class<?> submitted, Class<?> read) {
        return PayloadCheck.differences(
                List.of(new HandlerMethod(
                        "shop.Shipping.ship",
                        "orders",
                        "ship",
                        HandlerOptions.NONE,
                        JsonMapper.shared().constructType(read),
                        task -> Result.done(),
                        null)),
                List.of(
                        new GatewayMethod("shop.Tasks.ship", "orders", "ship", submitted, 0, -1, -1, false),
                        new GatewayMethod("shop.Tasks.bill", "orders", "bill", submitted, 0, -1, -1, false),
                        new GatewayMethod("shop.Mail.ship", "mail", "ship", submitted, 0, -1, -1, false)));
    }

    @Test
    void twoClassesOfOnePayloadAreSaid() {
        assertThat(differences(Ship.class, Shipment.class))
                .singleElement()
                .asString()
                .contains("shop.Tasks.ship", Ship.class.getName(), "shop.Shipping.ship", Shipment.class.getName());
    }

    @ParameterizedTest
    @ValueSource(classes = {Ship.class, Parcel.class, Map.class, String.class, byte[].class, Object.class})
    void whatMayHaveTheSameJsonIsNot(Class<?> read) {
        assertThat(differences(Ship.class, read)).isEmpty();
        assertThat(differences(read, Ship.class)).isEmpty();
    }
}
