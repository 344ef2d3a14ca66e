package drover.opsagent.systemd.machine;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Gives files of a machine all that a file can carry, and lists what they carry. */
record FileTools(SystemdMachine machine) {
    private static final String MISSING =
            "SKIPPED: no acl, attr and libcap2-bin; .ci/systemd-root gets them";

    /** Installs the tools; skips the test if they are not available. */
    FileTools install() {
        boolean installed = machine.lay("file-tools");
        if (!installed) {
            System.out.println(MISSING);
        }
        assumeTrue(installed, MISSING);
        return this;
    }

    /** Group, special bits, access control list, attribute and time. */
    void giveAttributes(String file, String mode) {
        run(
                """
                chgrp daemon FILE
                chmod MODE FILE
                setfacl -m u:games:rx,g:mail:r FILE
                setfattr -n user.note -v text FILE
                touch -d '2025-12-24 18:00:00.123456789Z' FILE
                """
                        .replace("MODE", mode)
                        .replace("FILE", file));
    }

    /** Skips the test if the kernel forbids capabilities of files. */
    void giveCapability(String file) {
        String refusal = machine.query("setcap", "cap_net_bind_service+ep", file);
        assumeTrue(refusal.isEmpty(), "SKIPPED: no capabilities of files here: " + refusal);
    }

    /** All that the tools list, without the time. */
    String attributes(String file) {
        return run(
                """
                stat -c '%a %U %G' FILE
                getcap FILE
                getfacl --absolute-names FILE
                getfattr --absolute-names -d -m - -e hex FILE
                """
                        .replace("FILE", file));
    }

    /** All that the tools list, with the time. */
    String attributesAndTime(String file) {
        return attributes(file) + machine.run("stat", "-c", "%y", file);
    }

    private String run(String script) {
        return machine.run("sh", "-ec", script);
    }
}
