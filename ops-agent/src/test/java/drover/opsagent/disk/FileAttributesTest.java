package drover.opsagent.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import drover.model.Digest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a file of a real file system carries when it is replaced and restored. */
class FileAttributesTest {
    private static final byte[] NEW = "new".getBytes(StandardCharsets.UTF_8);
    private static final byte[] OLD = "old".getBytes(StandardCharsets.UTF_8);
    private static final String NOTE = "6e6f7465";

    /** cap_net_bind_service, effective and permitted. */
    private static final String BIND_LOW_PORTS = "0100000200040000000000000000000000000000";

    /** Read and write for the owner, read for the user 4711 and the group, nothing for others. */
    private static final String USER_4711_READS =
            "0200000001000600ffffffff020004006712000004000400ffffffff10000400ffffffff20000000ffffffff";

    private static final Instant CHRISTMAS = Instant.parse("2025-12-24T18:00:00.123456789Z");

    @TempDir Path directory;
    private final LocalDisk disk = new LocalDisk();
    private final DurableFiles files = new DurableFiles(disk, new Random(1));
    private Path target = Path.of("");
    private Path staged = Path.of("");

    @BeforeEach
    void write() throws IOException {
        target = Files.write(directory.resolve("program"), OLD);
        staged = Files.write(directory.resolve("staged"), NEW);
    }

    @Test
    @DisplayName(
            "D11: a new program has all bits, ACLs, capabilities and attributes of the old one")
    void newContentHasTheAttributesOfTheOld() throws IOException {
        FileAttributes before = giveEverything("rwsr-sr-t");

        files.copy(staged, target, Digest.of(NEW), FileAttributes.PROGRAM);

        FileAttributes after = disk.attributes(target);
        assertThat(disk.readAll(target)).isEqualTo(NEW);
        assertThat(after.withoutTime()).isEqualTo(before.withoutTime());
        assertThat(after.modified()).isNotEqualTo(before.modified());
    }

    @Test
    @DisplayName("D11: a new file has no IMA or EVM signature, which is of the old content")
    void newContentHasNoSignatureOfTheOld() throws Exception {
        Path python = Path.of("/usr/bin/python3");
        assumeTrue(Files.isExecutable(python), "SKIPPED: there is no " + python);
        for (String signature : List.of("security.ima", "security.evm")) {
            if (canHave(signature, "0304616263")) {
                ExtendedAttributeAccess.write(target, Map.of(signature, "0304616263"));
            }
        }
        assumeTrue(
                listAttributes(python, target).contains("security."),
                "SKIPPED: this kernel or user cannot set a signature");

        files.copy(staged, target, Digest.of(NEW), FileAttributes.PROGRAM);

        assertThat(disk.readAll(target)).isEqualTo(NEW);
        assertThat(listAttributes(python, target)).doesNotContain("security.ima", "security.evm");
    }

    private static String listAttributes(Path python, Path file) throws IOException {
        String script = "import os, sys; print(os.listxattr(sys.argv[1]))";
        Process process =
                new ProcessBuilder(python.toString(), "-c", script, file.toString())
                        .redirectErrorStream(true)
                        .start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    @Test
    @DisplayName("D11: a configuration file keeps them, too")
    void replacedConfigurationKeepsItsAttributes() throws IOException {
        FileAttributes before = giveEverything("rw-r-----");
        files.replace(target, NEW, FileAttributes.CONFIG);
        assertThat(disk.attributes(target).withoutTime()).isEqualTo(before.withoutTime());
    }

    @Test
    @DisplayName("D11: a restored file is as it was, its time included")
    void restoredFileIsAsItWas() throws IOException {
        FileAttributes before = giveEverything("rwxr-s---");
        Files.write(target, NEW);
        FileAttributeAccess.write(
                target, new FileAttributes("rw-------", "", "", Map.of(), Instant.EPOCH));
        Path backup = Files.write(directory.resolve("backup"), OLD);

        files.copyWithAttributes(backup, target, Digest.of(OLD), before);

        assertThat(disk.attributes(target)).isEqualTo(before);
        assertThat(disk.readAll(target)).isEqualTo(OLD);
    }

    @Test
    void newFileHasWhatTheSystemGivesIt() {
        Path created = directory.resolve("created");
        files.replace(created, NEW, FileAttributes.CONFIG);
        assertThat(disk.attributes(created).permissions()).isEqualTo("rw-r--r--");
    }

    @Test
    void attributeThatCannotBeGivenIsNamedAndNothingChanges() {
        FileAttributes impossible =
                new FileAttributes("rwxr-xr-x", "", "", Map.of("bogus.mark", NOTE), null);
        assertThatThrownBy(
                        () -> files.copyWithAttributes(staged, target, Digest.of(NEW), impossible))
                .isInstanceOf(DiskFailure.class)
                .hasStackTraceContaining("it cannot be given the attribute bogus.mark: ");
        assertThat(disk.readAll(target)).isEqualTo(OLD);
        assertThat(disk.list(directory)).containsExactly(target, staged);
    }

    @Test
    void ownerThatDoesNotExistIsNamed() {
        FileAttributes impossible = FileAttributes.of("rwxr-xr-x", "no-such-user", "");
        assertThatThrownBy(
                        () -> files.copyWithAttributes(staged, target, Digest.of(NEW), impossible))
                .isInstanceOf(DiskFailure.class)
                .hasStackTraceContaining("no-such-user");
        assertThat(disk.list(directory)).containsExactly(target, staged);
    }

    @Test
    @DisplayName("D11: what a disk drops without a word is noticed before the file is in place")
    void attributeThatTheDiskDropsIsFound() {
        FileAttributes wanted =
                new FileAttributes("rwxr-xr-x", "", "", Map.of("user.note", NOTE), null);
        Disk forgetful =
                new ForwardingDisk(disk) {
                    @Override
                    public FileAttributes attributes(Path file) {
                        return FileAttributes.of("rwxr-xr-x");
                    }
                };
        assertThatThrownBy(
                        () ->
                                new DurableFiles(forgetful, new Random(1))
                                        .copyWithAttributes(staged, target, Digest.of(NEW), wanted))
                .isInstanceOf(DiskFailure.class)
                .hasMessageContaining("does not keep attribute user.note of " + target);
        assertThat(disk.readAll(target)).isEqualTo(OLD);
    }

    @ParameterizedTest
    @CsvSource({
        "04755, rwsr-xr-x",
        "02755, rwxr-sr-x",
        "01777, rwxrwxrwt",
        "07000, --S--S--T",
        "0640, rw-r-----",
        "0, ---------"
    })
    void permissionsReadAsListed(String octal, String text) {
        int mode = Integer.parseInt(octal, 8);
        assertThat(FileModeText.toText(0100000 | mode)).isEqualTo(text);
        assertThat(FileModeText.parse(text)).isEqualTo(mode);
    }

    @ParameterizedTest
    @CsvSource({"rwx", "rwxrwxrwxr", "rwzrwxrwx", "xwrrwxrwx", "sssssssss"})
    void rejectsOtherTexts(String text) {
        assertThatThrownBy(() -> FileModeText.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(text);
    }

    /** As much as this machine and this user can give the target. */
    private FileAttributes giveEverything(String permissions) throws IOException {
        Map<String, String> extended = new TreeMap<>();
        for (Map.Entry<String, String> attribute :
                Map.of(
                                "user.note", NOTE,
                                "security.capability", BIND_LOW_PORTS,
                                "system.posix_acl_access", USER_4711_READS)
                        .entrySet()) {
            if (canHave(attribute.getKey(), attribute.getValue())) {
                extended.put(attribute.getKey(), attribute.getValue());
            }
        }
        assumeTrue(!extended.isEmpty(), "Skipped: this file system has no extended attributes");
        FileAttributeAccess.write(
                target, new FileAttributes(permissions, "", "", extended, CHRISTMAS));
        return disk.attributes(target);
    }

    private boolean canHave(String name, String value) throws IOException {
        Path tried = Files.createFile(directory.resolve("tried"));
        try {
            ExtendedAttributeAccess.write(tried, Map.of(name, value));
            return true;
        } catch (IOException e) {
            System.out.println("FileAttributesTest leaves out " + name + ": " + e.getMessage());
            return false;
        } finally {
            Files.delete(tried);
        }
    }
}
