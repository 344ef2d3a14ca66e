package drover.opsagent.systemd;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class MountTableTest {
    private static final MountTable MOUNTS =
            MountTable.parse(
                    """
                    22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
                    23 22 0:20 / /srv rw,nosuid,noexec - tmpfs tmpfs rw
                    24 23 0:21 / /srv/exec rw - tmpfs tmpfs rw
                    25 22 0:22 / /opt/my\\040app rw,noexec - tmpfs tmpfs rw
                    26 22 0:23 / /over rw,noexec - tmpfs tmpfs rw
                    27 26 0:24 / /over rw - tmpfs tmpfs rw
                    """);

    @Test
    void findsTheOptionOfTheInnermostMount() {
        assertThat(MOUNTS.isNoExec(Path.of("/usr/bin/app"))).isFalse();
        assertThat(MOUNTS.isNoExec(Path.of("/srv/app"))).isTrue();
        assertThat(MOUNTS.isNoExec(Path.of("/srv/exec/app"))).isFalse();
        assertThat(MOUNTS.isNoExec(Path.of("/srv2/app"))).isFalse();
    }

    @Test
    void readsDirectoriesWithSpaces() {
        assertThat(MOUNTS.isNoExec(Path.of("/opt/my app/app"))).isTrue();
    }

    @Test
    void theLaterOfTwoMountsOnADirectoryCounts() {
        assertThat(MOUNTS.isNoExec(Path.of("/over/app"))).isFalse();
    }

    @Test
    void withoutMountsNothingIsNoExec() {
        assertThat(MountTable.parse("").isNoExec(Path.of("/srv/app"))).isFalse();
    }
}
