package drover.opsagent.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.api.Timeout.ThreadMode.SEPARATE_THREAD;

import drover.model.NodePath;
import drover.opsagent.policy.LocalPolicy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files of a node on the machine's own disk, with somebody who wants them to lie elsewhere. */
class LocalDiskJailTest {
    private static final byte[] CONTENT = "ours".getBytes(StandardCharsets.UTF_8);
    private static final NodePath APP_TOML = new NodePath("/etc/app/app.toml");
    private static final int ATTEMPTS = 2_000;
    private static final int MOST = 1_000 * ATTEMPTS;

    @TempDir Path directory;
    private Path jail;
    private Path outside;
    private LocalDisk disk;
    private DurableFiles files;

    @BeforeEach
    void aNodeAndWhatIsNotItsOwn() throws IOException {
        jail = Files.createDirectories(directory.resolve("node"));
        outside = Files.createDirectories(directory.resolve("outside"));
        Files.createDirectories(jail.resolve("etc/app"));
        Files.writeString(outside.resolve("app.toml"), "theirs");
        disk = LocalDisk.withJail(jail, directory.resolve("state"));
        files = new DurableFiles(disk, new Random(1));
    }

    private NodeRoot root(LocalPolicy policy) {
        return new NodeRoot(disk, jail, policy);
    }

    @Test
    void writesWhereItMay() throws IOException {
        Path file = root(LocalPolicy.WHOLE_ROOT).resolveWritable(new NodePath("/etc/app/app.toml"));
        files.replace(file, CONTENT, FileAttributes.CONFIG);
        files.replace(file, CONTENT, FileAttributes.CONFIG);
        assertThat(Files.readAllBytes(jail.resolve("etc/app/app.toml"))).isEqualTo(CONTENT);
        assertThat(disk.readAll(file)).isEqualTo(CONTENT);
        files.delete(file);
        assertThat(file).doesNotExist();
        disk.delete(file); // once more is as good
    }

    @Test
    @DisplayName("H11: a directory that became a link is not followed, by no operation")
    void followsNoLinkOnTheWay() throws IOException {
        Files.delete(jail.resolve("etc/app"));
        Files.createSymbolicLink(jail.resolve("etc/app"), outside);
        Path file = jail.resolve("etc/app/app.toml");

        assertThatThrownBy(() -> disk.readAll(file)).isInstanceOf(DiskFailure.class);
        assertThatThrownBy(() -> disk.delete(file)).isInstanceOf(DiskFailure.class);
        assertThatThrownBy(() -> disk.rename(file, file)).isInstanceOf(DiskFailure.class);
        assertThatThrownBy(() -> disk.createExclusive(file.resolveSibling("x")))
                .isInstanceOf(DiskFailure.class);
        requireOutsideUnchanged();
    }

    @Test
    @DisplayName("H11: no directory is made, named or removed behind a link")
    void makesNoDirectoryBehindALink() throws IOException {
        Files.createDirectory(outside.resolve("theirs"));
        Files.delete(jail.resolve("etc/app"));
        Files.createSymbolicLink(jail.resolve("etc/app"), outside);
        Path directory = jail.resolve("etc/app/conf.d");

        assertThatThrownBy(() -> disk.createDirectory(directory)).isInstanceOf(DiskFailure.class);
        assertThatThrownBy(() -> files.createDirectories(directory.resolve("deeper")))
                .isInstanceOf(DiskFailure.class);
        assertThatThrownBy(() -> disk.syncDirectory(jail.resolve("etc/app/theirs")))
                .isInstanceOf(DiskFailure.class);
        assertThatThrownBy(() -> disk.delete(jail.resolve("etc/app/theirs")))
                .isInstanceOf(DiskFailure.class);
        Files.delete(outside.resolve("theirs"));
        requireOutsideUnchanged();
    }

    @Test
    @DisplayName("H11: whoever swaps a directory for a link gains no directory outside")
    void raceForADirectoryHasNoWinner() throws Exception {
        underAttack(this::swapDirectory, this::makeAndRemoveADirectory);
        requireOutsideUnchanged();
    }

    private void makeAndRemoveADirectory() {
        Path made = jail.resolve("etc/app/conf.d");
        disk.createDirectory(made); // without the sync, which takes most of the time
        disk.delete(made);
    }

    @Test
    void removesADirectoryOnlyWhenItIsEmpty() throws IOException {
        Path made = jail.resolve("etc/app/conf.d");
        files.createDirectories(made);
        Files.writeString(made.resolve("theirs"), "x");
        assertThatThrownBy(() -> disk.delete(made)).isInstanceOf(DiskFailure.class);
        Files.delete(made.resolve("theirs"));
        disk.delete(made);
        assertThat(made).doesNotExist();
        disk.delete(made); // once more is as good
    }

    @Test
    @Timeout(value = 600, threadMode = SEPARATE_THREAD) // opening a pipe hears no interrupt
    @DisplayName("H11: a pipe in the place of a file is refused, and holds nobody up")
    void refusesAPipe() throws Exception {
        Path pipe = jail.resolve("etc/app/app.toml");
        make("mkfifo", pipe.toString());
        requireUnread(pipe);
        Path asDirectory = jail.resolve("etc/conf.d");
        make("mkfifo", asDirectory.toString());
        assertThatThrownBy(() -> disk.syncDirectory(asDirectory)).isInstanceOf(DiskFailure.class);
        assertThatThrownBy(() -> files.createDirectories(asDirectory))
                .isInstanceOf(DiskFailure.class);
        assertThatThrownBy(() -> disk.readAll(asDirectory.resolve("app.toml")))
                .isInstanceOf(DiskFailure.class);
    }

    @Test
    @Timeout(value = 600, threadMode = SEPARATE_THREAD) // opening a pipe hears no interrupt
    @DisplayName("H11: a device in the place of a file is refused")
    void refusesADevice() throws Exception {
        assumeTrue(
                Files.getOwner(directory).getName().equals("root"),
                "A device is made by root alone: run the tests as root to see it refused");
        Path device = jail.resolve("etc/app/app.toml");
        make("mknod", device.toString(), "c", "1", "5"); // as /dev/zero, without end
        requireUnread(device);
    }

    private void requireUnread(Path file) {
        assertThatThrownBy(() -> disk.readAll(file))
                .isInstanceOf(DiskFailure.class)
                .hasRootCauseMessage("app.toml: this is no plain file");
        assertThatThrownBy(() -> root(LocalPolicy.WHOLE_ROOT).resolveWritable(APP_TOML))
                .isInstanceOf(NodeRoot.PathRefused.class);
        assertThatThrownBy(() -> disk.createExclusive(file)).isInstanceOf(DiskFailure.class);
    }

    @Test
    @Timeout(value = 600, threadMode = SEPARATE_THREAD)
    @DisplayName("H11: whoever swaps a file for a pipe all the time holds nobody up")
    void pipeDelaysNoReader() throws Exception {
        Files.write(jail.resolve("etc/app/app.toml"), CONTENT);
        make("mkfifo", jail.resolve("etc/pipe").toString());
        underAttack(
                this::swapFile,
                () ->
                        assertThat(disk.readAll(jail.resolve("etc/app/app.toml")))
                                .isEqualTo(CONTENT));
    }

    private static void make(String... command) throws Exception {
        Process process = new ProcessBuilder(command).inheritIO().start();
        assertThat(process.waitFor()).isZero();
    }

    /**
     * Repeats the work while another thread swaps its target, until the work has met both the plain
     * target and the other one. On a busy machine the two threads rarely run at the same time.
     */
    private static void underAttack(Consumer<AtomicBoolean> attack, Runnable work)
            throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        Thread attacker = Thread.ofPlatform().start(() -> attack.accept(over));
        int done = 0;
        int refused = 0;
        try {
            for (int i = 0; i < ATTEMPTS || (Math.min(done, refused) == 0 && i < MOST); i++) {
                try {
                    work.run();
                    done++;
                } catch (DiskFailure | NodeRoot.PathRefused _) {
                    refused++; // it was something else, or not there, at that moment
                }
            }
        } finally {
            over.set(true);
            attacker.join();
        }
        assertThat(done).as("attempts that met the plain target").isPositive();
        assertThat(refused).as("attempts that met another one").isPositive();
    }

    @Test
    @DisplayName("H11: a file with a second name is not written")
    void refusesAHardLink() throws IOException {
        Files.createLink(jail.resolve("etc/app/app.toml"), outside.resolve("app.toml"));
        assertThatThrownBy(
                        () ->
                                root(LocalPolicy.WHOLE_ROOT)
                                        .resolveWritable(new NodePath("/etc/app/app.toml")))
                .isInstanceOf(NodeRoot.PathRefused.class)
                .hasMessage(
                        "/etc/app/app.toml has another name elsewhere: put a file of its own"
                                + " there.");
    }

    @Test
    @DisplayName("H11: what the node's policy does not list is not written")
    void refusesWhatThePolicyDoesNotList() {
        LocalPolicy policy =
                new LocalPolicy(
                        true, List.of(new NodePath("/etc/app")), Set.of(), Set.of(), Set.of());
        assertThat(root(policy).resolveWritable(new NodePath("/etc/app/app.toml")))
                .isEqualTo(jail.resolve("etc/app/app.toml"));
        assertThatThrownBy(() -> root(policy).resolveWritable(new NodePath("/etc/other.toml")))
                .isInstanceOf(NodeRoot.PathRefused.class)
                .hasMessage(
                        "/etc/other.toml lies under no root of this node's policy (it has"
                                + " /etc/app): plan for other paths, or let the node's owner list"
                                + " it.");
    }

    @Test
    @DisplayName("H11: whoever swaps a directory for a link all the time gains no write outside")
    void raceHasNoWinner() throws Exception {
        NodeRoot root = root(LocalPolicy.WHOLE_ROOT);
        underAttack(this::swapDirectory, () -> writeAndRemoveAFile(root));
        requireOutsideUnchanged();
    }

    private void writeAndRemoveAFile(NodeRoot root) {
        Path file = root.resolveWritable(APP_TOML);
        Path temporary = file.resolveSibling(".drover-" + files.randomName());
        disk.createExclusive(temporary).close();
        disk.rename(temporary, file);
        disk.delete(file);
    }

    /** The directory is the plain one, or a link to the outside, in turn. */
    private void swapDirectory(AtomicBoolean over) {
        Path link = jail.resolve("etc/link");
        try {
            Files.createSymbolicLink(link, outside);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        swap(jail.resolve("etc/app"), link, over);
    }

    /** The file is the plain one, or a pipe, in turn. */
    private void swapFile(AtomicBoolean over) {
        swap(jail.resolve("etc/app/app.toml"), jail.resolve("etc/pipe"), over);
    }

    private void swap(Path target, Path other, AtomicBoolean over) {
        Path plain = jail.resolve("etc/plain");
        try {
            while (!over.get()) {
                Files.move(target, plain, StandardCopyOption.ATOMIC_MOVE);
                Files.move(other, target, StandardCopyOption.ATOMIC_MOVE);
                Files.move(target, other, StandardCopyOption.ATOMIC_MOVE);
                Files.move(plain, target, StandardCopyOption.ATOMIC_MOVE);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void requireOutsideUnchanged() throws IOException {
        assertThat(Files.readString(outside.resolve("app.toml"))).isEqualTo("theirs");
        try (var entries = Files.list(outside)) {
            assertThat(entries).containsExactly(outside.resolve("app.toml"));
        }
        assertThat(Files.exists(outside, LinkOption.NOFOLLOW_LINKS)).isTrue();
    }
}
