package drover.opsagent.systemd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Counting the processes of a unit, in both layouts. */
class ControlGroupsTest {
    @TempDir Path mounted;

    @ParameterizedTest
    @ValueSource(strings = {"", "systemd", "unified"})
    void countsTheGroupAndThoseBelow(String hierarchy) throws IOException {
        group(hierarchy, "system.slice/app.service", "51\n52\n");
        group(hierarchy, "system.slice/app.service/workers", "60\n");
        group(hierarchy, "system.slice/app.service/workers/one", "61\n");
        group(hierarchy, "system.slice/other.service", "70\n");
        assertThat(new ControlGroups(mounted).members("/system.slice/app.service"))
                .containsExactlyInAnyOrder(51L, 52L, 60L, 61L);
    }

    @Test
    void aThreadedGroupCountsWhereItsProcessIs() throws IOException {
        group("", "system.slice/app.service", "51\n");
        Path threads = group("", "system.slice/app.service/threads", "51\n");
        Files.writeString(threads.resolve("cgroup.type"), "threaded\n");
        assertThat(new ControlGroups(mounted).members("/system.slice/app.service"))
                .containsExactly(51L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/", "/../etc", "/system.slice/gone.service"})
    void unknownGroupHasNoMembers(String group) {
        assertThat(new ControlGroups(mounted).members(group)).isEmpty();
    }

    private Path group(String hierarchy, String name, String members) throws IOException {
        Path group = mounted.resolve(hierarchy).resolve(name);
        Files.createDirectories(group);
        Files.writeString(group.resolve("cgroup.procs"), members);
        return group;
    }
}
