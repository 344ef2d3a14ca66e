package drover.opsagent.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.opsagent.journal.ReasonCode;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("H13: loopback, link and metadata addresses in every way of writing them")
class LocalAndMetadataAddressesTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "127.8.8.8",
                "0.0.0.0",
                "169.254.169.254",
                "100.100.100.200",
                "224.0.0.1",
                "[::1]",
                "[::]",
                "[fe80::1]",
                "[fec0::1]",
                "[fc00::1]",
                "[fd00:ec2::254]",
                "[fdff:ffff::1]",
                "[ff02::1]",
                "[::ffff:169.254.169.254]",
                "[::ffff:127.0.0.1]",
                "[::169.254.169.254]",
                "[64:ff9b::169.254.169.254]",
                "[64:ff9b::7f00:1]",
                "[2002:a9fe:a9fe::1]"
            })
    void areRefused(String host) {
        URI address = URI.create("http://" + host + "/latest/meta-data");

        assertThatThrownBy(() -> DownloadPolicy.forFleet(Set.of()).requireAllowed(address))
                .isInstanceOfSatisfying(
                        FetchFailed.class,
                        failed ->
                                assertThat(failed.reason()).isEqualTo(ReasonCode.DOWNLOAD_REFUSED));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.0.0.7",
                "192.0.2.7",
                "169.253.0.1",
                "100.100.100.201",
                "[2001:db8::7]",
                "[fb00::1]",
                "[64:ff9b::192.0.2.7]",
                "[2002:c000:207::1]"
            })
    void othersAreNot(String host) throws ServerUnavailable {
        DownloadPolicy.forFleet(Set.of()).requireAllowed(URI.create("http://" + host + "/app"));

        assertThat(DownloadPolicy.forFleet(Set.of()).hosts()).isEmpty();
    }

    @Test
    @DisplayName("A mapped address that Java keeps as IPv6 is seen through as well")
    void aMappedAddressIsSeenThrough() throws UnknownHostException {
        byte[] mapped = new byte[16];
        mapped[10] = (byte) 0xff;
        mapped[11] = (byte) 0xff;
        System.arraycopy(
                new byte[] {(byte) 169, (byte) 254, (byte) 169, (byte) 254}, 0, mapped, 12, 4);

        InetAddress kept = Inet6Address.getByAddress("mapped", mapped, -1);

        assertThat(LocalAndMetadataAddresses.contains(kept)).isTrue();
    }
}
