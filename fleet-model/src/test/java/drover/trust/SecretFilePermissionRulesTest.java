package drover.trust;

import static org.assertj.core.api.Assertions.assertThat;

import drover.trust.SecretFilePermissionRules.UserAndGroupIds;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** H14: users that may read a file with a secret in addition to its owner. */
class SecretFilePermissionRulesTest {
    private static final UserAndGroupIds ROOT = new UserAndGroupIds(0, 0);
    private static final UserAndGroupIds SERVICE = new UserAndGroupIds(1_000, 1_000);

    @ParameterizedTest(name = "{0} of {1}:{2}, read by root: {3}")
    @CsvSource({
        "rw-------, 0, 0, true, false",
        "r--------, 1000, 100, false, false",
        "r--r-----, 0, 0, true, false", // a mounted secret
        "r--r-----, 0, 0, false, false",
        "r--r-----, 0, 5000, false, false", // a mounted secret with an fsGroup
        "r--r-----, 0, 5000, true, true",
        "rw-r-----, 0, 1000, false, false", // chgrp of a package to the group of its service
        "rw-r-----, 1000, 0, false, false",
        "rw-r-----, 1000, 1000, false, true", // the group may have other members
        "rw-r-----, 2000, 1000, false, true", // any file of another user, by the group 'users'
        "rw-r-----, 2000, 5000, false, true",
        "rw-rw----, 0, 0, true, true",
        "r--r-x---, 0, 0, true, true",
        "rw-r--r--, 0, 0, false, true",
        "rw----r--, 1000, 1000, false, true"
    })
    void rootAloneChoosesAGroupThatMayRead(
            String mode, int user, int group, boolean byRoot, boolean shared) {
        assertThat(
                        SecretFilePermissionRules.isTooOpen(
                                PosixFilePermissions.fromString(mode),
                                new UserAndGroupIds(user, group),
                                byRoot ? ROOT : SERVICE))
                .isEqualTo(shared);
    }

    @ParameterizedTest
    @CsvSource({"0, false", "2000, true"})
    void rootWithAnotherPrimaryGroupReadsOnlyFilesOfRootByIt(int owner, boolean shared) {
        assertThat(
                        SecretFilePermissionRules.isTooOpen(
                                PosixFilePermissions.fromString("r--r-----"),
                                new UserAndGroupIds(owner, 1_000),
                                new UserAndGroupIds(0, 1_000)))
                .isEqualTo(shared);
    }
}
