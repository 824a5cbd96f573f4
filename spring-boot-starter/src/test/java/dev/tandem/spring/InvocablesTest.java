package dev.tandem.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Method;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.util.ReflectionUtils;

class InvocablesTest {

    interface Shipping {
        String ship();
    }

    static class Carrier implements Shipping {

        @Override
        public String ship() {
            return "shipped";
        }

        String book() {
            return "booked";
        }

        final String cancel() {
            return "cancelled";
        }
    }

    private static Object proxied(boolean ofClass) {
        ProxyFactory factory = new ProxyFactory(new Carrier());
        factory.setProxyTargetClass(ofClass);
        return factory.getProxy();
    }

    private static Method method(String name) {
        Method method = ReflectionUtils.findMethod(Carrier.class, name);
        assertThat(method).isNotNull();
        return method;
    }

    @Test
    void methodsAreCalledThroughTheProxy() throws ReflectiveOperationException {
        Object jdk = proxied(false);
        Object cglib = proxied(true);

        assertThat(Invocables.of(method("ship"), jdk).invoke(jdk)).isEqualTo("shipped");
        assertThat(Invocables.of(method("ship"), jdk).getDeclaringClass()).isNotEqualTo(Carrier.class);
        assertThat(Invocables.of(method("book"), cglib).invoke(cglib)).isEqualTo("booked");
    }

    @Test
    void aMethodThatItsProxyDoesNotHaveIsRefused() {
        assertThatThrownBy(() -> Invocables.of(method("book"), proxied(false)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("add the method to an interface of the bean");
    }

    /** The proxy would run it on itself, whose fields are empty. */
    @Test
    void aFinalMethodBehindAClassProxyIsRefused() {
        assertThatThrownBy(() -> Invocables.of(method("cancel"), proxied(true)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("make it not final");
    }
}
