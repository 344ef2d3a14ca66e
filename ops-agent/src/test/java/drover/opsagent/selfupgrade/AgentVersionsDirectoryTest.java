package drover.opsagent.selfupgrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.Digest;
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.disk.ForwardingDisk;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.fetch.FetchFailed;
import drover.opsagent.fetch.Fetcher;
import drover.opsagent.fetch.SimulatedFetcher;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.time.AutoAdvancingTicker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AgentVersionsDirectoryTest {
    private static final String URL = "http://artifacts.example/agent";
    private static final byte[] JAR = "a jar".getBytes(StandardCharsets.UTF_8);
    private static final AgentVersionNumber TWO = AgentVersionNumber.of("2.0.0");

    @TempDir Path directory;
    private AgentVersionsDirectory versions;

    @BeforeEach
    void threeVersions() throws IOException {
        versions = versions(new LocalDisk());
        for (String version : List.of("1.0.0", "1.9.0", "1.10.0")) {
            Path jar = versions.jar(AgentVersionNumber.of(version));
            Files.createDirectories(Objects.requireNonNull(jar.getParent()));
            Files.writeString(jar, version);
        }
        Files.createDirectories(directory.resolve("v3.0.0")); // a download that failed
        Files.createDirectories(directory.resolve("vault"));
    }

    private AgentVersionsDirectory versions(Disk disk) {
        return versions(disk, new SimulatedFetcher(Map.of(URL, JAR)));
    }

    private AgentVersionsDirectory versions(Disk disk, Fetcher fetcher) {
        return new AgentVersionsDirectory(
                directory, new DurableFiles(disk, new Random(1)), fetcher);
    }

    @Test
    void seesThoseWithAJarInTheirOrder() {
        assertThat(versions.list())
                .extracting(AgentVersionNumber::toString)
                .containsExactly("1.0.0", "1.9.0", "1.10.0");
        assertThat(versions.findByDigest(Digest.of("1.9.0")))
                .isEqualTo(AgentVersionNumber.of("1.9.0"));
        assertThat(versions.findByDigest(Digest.of("2.0.0"))).isNull();
    }

    @Test
    @DisplayName("D1: the link is swapped by one rename, and nothing of it is left")
    void swapsTheLink() throws IOException {
        assertThat(versions.readCurrentVersion()).isNull();
        versions.setCurrent(AgentVersionNumber.of("1.9.0"));
        versions.setCurrent(AgentVersionNumber.of("1.10.0"));
        assertThat(versions.readCurrentVersion()).isEqualTo(AgentVersionNumber.of("1.10.0"));
        assertThat(
                        Files.readString(
                                directory.resolve("current").resolve(AgentVersionsDirectory.JAR)))
                .isEqualTo("1.10.0");
        try (var all = Files.list(directory)) {
            assertThat(all.map(it -> String.valueOf(it.getFileName())))
                    .noneMatch(name -> name.startsWith(".drover"));
        }
    }

    @Test
    @DisplayName("A kill in the swap leaves a link that nobody looks at; the next agent removes it")
    void sweepsWhatAKilledSwapLeft() throws IOException {
        versions.setCurrent(AgentVersionNumber.of("1.9.0"));
        Path left = directory.resolve(".drover-0123456789abcdef0123456789abcdef");
        Files.createSymbolicLink(left, Path.of("v1.10.0"));
        versions.deleteLeftoverLink();
        assertThat(Files.exists(left, LinkOption.NOFOLLOW_LINKS)).isFalse();
        assertThat(versions.jar(AgentVersionNumber.of("1.10.0"))).exists();
        assertThat(versions.readCurrentVersion()).isEqualTo(AgentVersionNumber.of("1.9.0"));
    }

    @Test
    @DisplayName("A version that was removed meanwhile is never named by the link")
    void doesNotNameWhatIsNotThere() {
        versions.setCurrent(AgentVersionNumber.of("1.9.0"));
        assertThatThrownBy(() -> versions.setCurrent(TWO))
                .isInstanceOf(ActionFailed.class)
                .hasMessageContaining("2.0.0 was removed from the disk meanwhile");
        assertThat(versions.readCurrentVersion()).isEqualTo(AgentVersionNumber.of("1.9.0"));
    }

    @Test
    @DisplayName("While somebody removes versions the link stays as it is, and the other way round")
    void removesAndSwapsOneAfterTheOther() {
        versions.setCurrent(AgentVersionNumber.of("1.9.0"));
        try (AgentVersionsLock _ = versions.lockForRemoval()) {
            assertThatThrownBy(() -> versions.setCurrent(AgentVersionNumber.of("1.10.0")))
                    .isInstanceOf(ActionFailed.class)
                    .hasMessageContaining("versions.lock");
        }
        assertThat(versions.readCurrentVersion()).isEqualTo(AgentVersionNumber.of("1.9.0"));
        try (AgentVersionsLock _ = AgentVersionsLock.acquireShared(directory)) {
            assertThatThrownBy(versions::lockForRemoval).hasMessageContaining("versions.lock");
        }
        versions.setCurrent(AgentVersionNumber.of("1.10.0"));
        assertThat(versions.readCurrentVersion()).isEqualTo(AgentVersionNumber.of("1.10.0"));
    }

    @Test
    void stagesBesideTheOthers() throws IOException {
        assertThat(stage(Digest.of(JAR))).isTrue();
        assertThat(Files.readAllBytes(versions.jar(TWO))).isEqualTo(JAR);
        assertThat(stage(Digest.of(JAR))).isFalse();
        assertThat(versions.list()).hasSize(4);
    }

    @Test
    @DisplayName("Other bytes are not put in place, and leave nothing behind")
    void refusesOtherBytes() throws IOException {
        assertThatThrownBy(() -> stage(Digest.of("another"))).isInstanceOf(ActionFailed.class);
        assertThat(versions.list()).hasSize(3);
        assertThat(directory.resolve("v2.0.0")).isEmptyDirectory();
        assertThat(directory.resolve("staging")).isEmptyDirectory();
    }

    @Test
    void checksForSpaceFirst() {
        AgentVersionsDirectory full =
                versions(
                        new ForwardingDisk(new LocalDisk()) {
                            @Override
                            public long freeBytes(Path path) {
                                return 1 << 20;
                            }
                        });
        assertThatThrownBy(
                        () ->
                                full.stageIfMissing(
                                        TWO,
                                        new Artifact(URL, Digest.of(JAR), JAR.length),
                                        new AutoAdvancingTicker().deadlineIn(Duration.ofMinutes(1)),
                                        _ -> {}))
                .isInstanceOfSatisfying(
                        ActionFailed.class,
                        failed -> assertThat(failed.reason()).isEqualTo(ReasonCode.DISK_FULL));
        assertThat(versions.jar(TWO)).doesNotExist();
    }

    @Test
    @DisplayName("D11: a new jar has the permissions, owner and attributes of the current one")
    void givesANewJarTheAttributesOfTheCurrentOne() throws IOException {
        versions.setCurrent(AgentVersionNumber.of("1.9.0"));
        Path current = versions.jar(AgentVersionNumber.of("1.9.0"));
        Files.setPosixFilePermissions(current, PosixFilePermissions.fromString("rw-r-----"));

        stage(Digest.of(JAR));

        LocalDisk disk = new LocalDisk();
        assertThat(disk.attributes(versions.jar(TWO)).withoutTime())
                .isEqualTo(disk.attributes(current).withoutTime());
    }

    @Test
    @DisplayName("An agent that cannot give a new jar the owner of the current one is upgraded too")
    void writesANewJarWithoutAnOwnerThatItCannotGive() throws IOException {
        versions.setCurrent(AgentVersionNumber.of("1.9.0"));
        Path current = versions.jar(AgentVersionNumber.of("1.9.0"));
        Files.setPosixFilePermissions(current, PosixFilePermissions.fromString("rw-r-----"));
        FileAttributes attributes = new LocalDisk().attributes(current);
        Disk foreign = reporting(current, attributes.withOwner("no-such-user", "no-such-group"));

        assertThat(stage(versions(foreign), Digest.of(JAR))).isTrue();

        assertThat(new LocalDisk().attributes(versions.jar(TWO)).withoutTime())
                .isEqualTo(attributes.withoutTime());
    }

    @Test
    void writesANewJarWithoutAttributesThatItCannotGive() throws IOException {
        versions.setCurrent(AgentVersionNumber.of("1.9.0"));
        Path current = versions.jar(AgentVersionNumber.of("1.9.0"));
        Map<String, String> unknown = Map.of("unknown.name", "00");
        Disk foreign =
                reporting(current, new FileAttributes("rw-r-----", "root", "root", unknown, null));

        assertThat(stage(versions(foreign), Digest.of(JAR))).isTrue();

        assertThat(new LocalDisk().attributes(versions.jar(TWO)).permissions())
                .isEqualTo("rw-r-----");
    }

    /** A disk on which one file has other attributes. */
    private static Disk reporting(Path one, FileAttributes attributes) {
        return new ForwardingDisk(new LocalDisk()) {
            @Override
            public FileAttributes attributes(Path file) {
                return file.equals(one) ? attributes : super.attributes(file);
            }
        };
    }

    @Test
    @DisplayName("A jar that cannot be written fails before the download")
    void triesToWriteFirst() {
        Disk refusing =
                new ForwardingDisk(new LocalDisk()) {
                    @Override
                    public DiskFileWriter createExclusive(Path file) {
                        throw new DiskFailure(
                                "Cannot create " + file, false, new IOException("read-only"));
                    }
                };
        Fetcher unexpected =
                (_, _, _, _) -> {
                    throw new AssertionError("downloaded");
                };
        assertThatThrownBy(() -> stage(versions(refusing, unexpected), Digest.of(JAR)))
                .isInstanceOf(DiskFailure.class)
                .hasMessageContaining("Cannot create");
    }

    @Test
    @DisplayName("D16: space counts for the file system of each directory")
    void checksTheDirectoryOfTheVersionAndThatOfDownloads() throws IOException {
        Path staging = Files.createDirectory(directory.resolve("staging"));
        Disk full =
                new ForwardingDisk(new LocalDisk()) {
                    @Override
                    public DeviceAndLinkCount identity(Path path) {
                        DeviceAndLinkCount found = super.identity(path);
                        return path.startsWith(staging)
                                ? new DeviceAndLinkCount(found.device() + 1, found.links())
                                : found;
                    }

                    @Override
                    public long freeBytes(Path path) {
                        return path.startsWith(staging) ? 0 : super.freeBytes(path);
                    }
                };
        assertThatThrownBy(() -> stage(versions(full), Digest.of(JAR)))
                .hasMessageContaining(staging + " has 0 KiB free")
                .hasMessageEndingWith(
                        " To prune versions of the agent, run it with --prune-versions.")
                .isInstanceOf(ActionFailed.class);
    }

    @Test
    void checksForInodesFirst() {
        AgentVersionsDirectory full =
                versions(
                        new ForwardingDisk(new LocalDisk()) {
                            @Override
                            public long freeFiles(Path path) {
                                return 2;
                            }
                        });
        assertThatThrownBy(() -> stage(full, Digest.of(JAR)))
                .hasMessageContaining("inodes")
                .isInstanceOfSatisfying(
                        ActionFailed.class,
                        failed -> assertThat(failed.reason()).isEqualTo(ReasonCode.DISK_FULL));
        assertThat(directory.resolve("v2.0.0")).doesNotExist();
    }

    @Test
    @DisplayName("A failed download is continued by the next one of the same digest")
    void continuesAnUnfinishedDownload() throws IOException {
        breakOff();
        Fetcher continues =
                (_, into, _, _) -> {
                    assertThat(into.entityTag()).isEqualTo("\"tag\"");
                    into.write(JAR, 2, JAR.length - 2);
                };
        assertThat(stage(versions(new LocalDisk(), continues), Digest.of(JAR))).isTrue();

        assertThat(Files.readAllBytes(versions.jar(TWO))).isEqualTo(JAR);
        try (var all = Files.walk(directory)) {
            assertThat(all.map(it -> String.valueOf(it.getFileName())))
                    .noneMatch(name -> name.endsWith(".part") || name.startsWith("unfinished"));
        }
    }

    @Test
    @DisplayName("Bytes of another jar are deleted before the space is checked")
    void deletesADownloadThatItDoesNotContinue() {
        breakOff();
        AgentVersionsDirectory full =
                versions(
                        new ForwardingDisk(new LocalDisk()) {
                            @Override
                            public long freeBytes(Path path) {
                                return 0;
                            }
                        });
        assertThatThrownBy(() -> stage(full, Digest.of("another")))
                .isInstanceOf(ActionFailed.class)
                .hasMessageContaining("MiB");
        assertThat(directory.resolve("staging")).isEmptyDirectory();
    }

    @Test
    void deletesAnUnfinishedDownload() {
        breakOff();
        assertThat(directory.resolve("staging")).isNotEmptyDirectory();
        versions.deleteStaged();
        assertThat(directory.resolve("staging")).isEmptyDirectory();
    }

    @Test
    @DisplayName("Only a person's word removes versions, and never the current or a needed one")
    void prunes() {
        versions.setCurrent(AgentVersionNumber.of("1.0.0"));
        assertThat(versions.prune(1, Set.of()))
                .extracting(AgentVersionNumber::toString)
                .containsExactly("1.9.0");
        assertThat(versions.prune(1, Set.of())).isEmpty();
        assertThat(versions.list())
                .extracting(AgentVersionNumber::toString)
                .containsExactly("1.0.0", "1.10.0");
    }

    @Test
    @DisplayName("A jar is an agent of its own only in the directory of a version")
    void findsItsOwnJar() throws IOException {
        versions.setCurrent(AgentVersionNumber.of("1.9.0"));
        RunningJar own =
                Objects.requireNonNull(
                        RunningJar.fromClassPath(
                                directory.resolve("current/drover-agent.jar").toString()));
        assertThat(own.directoryVersion()).isEqualTo(AgentVersionNumber.of("1.9.0"));
        assertThat(own.versionsDirectory()).isEqualTo(directory.toRealPath());
        assertThat(own.version()).isEqualTo(AgentPackaging.UNKNOWN); // it is no jar at all
        Files.copy(own.path(), directory.resolve("drover-agent.jar"));
        assertThat(RunningJar.fromClassPath(directory.resolve("drover-agent.jar").toString()))
                .isNull();
        assertThat(RunningJar.fromClassPath(own.path() + ":other.jar")).isNull();
        assertThat(RunningJar.fromClassPath("")).isNull();
    }

    @Test
    @DisplayName("A successor is started as this agent was, but for the jar")
    void startsAnotherJarAlike() {
        AgentCommandLine command =
                AgentCommandLine.of(
                        Path.of("/jdk/bin/java"),
                        List.of("java", "-Xmx128m", "-jar", "old.jar", "--state", "/s"));
        assertThat(command.startCommand(Path.of("/new.jar")))
                .containsExactly("/jdk/bin/java", "-Xmx128m", "-jar", "/new.jar", "--state", "/s");
        assertThat(command.selfTestCommand(Path.of("/new.jar"))).endsWith("/s", "--self-test");
    }

    private void breakOff() {
        Fetcher breaksOff =
                (_, into, _, _) -> {
                    into.restart("\"tag\"");
                    into.write(JAR, 0, 2);
                    throw new FetchFailed(ReasonCode.DOWNLOAD_TRUNCATED, "It broke off.");
                };
        assertThatThrownBy(() -> stage(versions(new LocalDisk(), breaksOff), Digest.of(JAR)))
                .isInstanceOf(ActionFailed.class);
    }

    private boolean stage(Digest digest) {
        return stage(versions, digest);
    }

    private static boolean stage(AgentVersionsDirectory into, Digest digest) {
        return into.stageIfMissing(
                TWO,
                new Artifact(URL, digest, JAR.length),
                new AutoAdvancingTicker().deadlineIn(Duration.ofMinutes(1)),
                _ -> {});
    }
}
