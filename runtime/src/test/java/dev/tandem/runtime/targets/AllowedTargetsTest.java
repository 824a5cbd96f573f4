package dev.tandem.runtime.targets;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AllowedTargetsTest {

    private static final URI URL = URI.create("https://hook.example.org/");

    @ParameterizedTest
    @ValueSource(
            strings = {"93.184.215.14", "9.255.255.255", "11.0.0.0", "172.15.255.255", "172.32.0.0", "2606:4700::1"})
    void publicAddressesNeedNoEntry(String address) throws UnknownHostException {
        assertThat(refusal(List.of(), address)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0, private",
        "10.255.255.255, private",
        "172.31.255.255, private",
        "192.168.0.1, private",
        "100.127.255.255, private",
        "fdff::1, private",
        "127.255.0.1, loopback",
        "::1, loopback",
        "169.254.169.254, link-local",
        "febf::1, link-local",
        "239.1.1.1, multicast",
        "ff0e::1, multicast",
        "0.0.0.0, reserved",
        "255.255.255.255, reserved",
        "192.0.2.1, reserved",
        "::, reserved",
        "2001:db8::1, reserved",
        "4000::1, reserved",
        "::10.0.0.1, reserved",
        "::ffff:10.0.0.1, private",
        "64:ff9b::a00:1, translated",
        "2002:a00:1::1, translated",
        "2001:0:a00:1::1, translated",
        "64:ff9b:1::1, translated"
    })
    void othersDo(String address, String kind) throws UnknownHostException {
        assertThat(refusal(List.of(), address)).contains("a " + kind + " address, which http.allow does not list");
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.200.0.1", "10.1.2.3, 10.1.2.3", "fd00::/8, fd12::1", "169.254.169.254, 169.254.169.254",
        "64:ff9b::/96, 64:ff9b::a00:1", "0.0.0.0/0, 127.0.0.1", "HOOK.example.org, 10.0.0.1", "*.example.org, 10.0.0.1",
        "hook.example.org:443, 127.0.0.1", "*.org:443, fd00::1", "127.0.0.0/8, ::ffff:127.0.0.1"
    })
    void whatIsListedIsAllowed(String entry, String address) throws UnknownHostException {
        assertThat(refusal(List.of(entry), address)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 11.0.0.1.x, 192.168.0.1", "hook.example.org:8443, port, 10.0.0.1", "example.org, parent, 10.0.0.1",
        "*.hook.example.org, itself, 10.0.0.1", "other.example.org, other, 10.0.0.1",
                "hook.example.org, kind, 169.254.1.1",
        "hook.example.org, kind, 64:ff9b::a00:1", "*.example.org, kind, 0.0.0.0"
    })
    void whatIsListedAllowsNothingElse(String entry, String what, String address) throws UnknownHostException {
        assertThat(refusal(List.of(entry), address)).as(what).isNotNull();
    }

    @Test
    void addressThatIsWrittenInTheUrlIsAllowedUnlessItIsOfASpecialKind() {
        assertThat(AllowedTargets.refusalOf(URI.create("http://10.0.0.1/"), List.of()))
                .isNull();
        assertThat(AllowedTargets.refusalOf(URI.create("http://[::1]:80/"), List.of()))
                .isNull();
        assertThat(AllowedTargets.refusalOf(URI.create("http://[::ffff:7f00:1]/"), List.of()))
                .isNull();
        assertThat(AllowedTargets.refusalOf(URI.create("http://169.254.169.254/"), List.of()))
                .isEqualTo("169.254.169.254 is a link-local address, which http.allow does not list");
        assertThat(AllowedTargets.refusalOf(URI.create("http://169.254.169.254/"), List.of("169.254.169.254/32")))
                .isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "*",
                "*.*.org",
                "a b",
                "http://host",
                "10.0.0.1/8",
                "10.0.0.0/33",
                "10.0.0.256",
                "1.2.3",
                "host:0",
                "host:70000",
                "010.0.0.1",
                "10.0.0.0/",
                "fd00::1/8",
                "a..b",
                ".org"
            })
    void otherFormsAreNoEntries(String entry) {
        assertThat(AllowedTargets.isEntry(entry)).isFalse();
    }

    private static @Nullable String refusal(List<String> entries, String address) throws UnknownHostException {
        return AllowedTargets.of(entries, URL).refusal("hook.example.org", 443, InetAddress.getByName(address));
    }
}
