package drover.manifest.document;

/** Every stable code of a problem in a file. Codes are never renamed or reused. */
public enum ProblemCode {
    /** The file cannot be read from disk. */
    UNREADABLE,
    /** The file has just changed and may be incomplete. */
    FILE_CHANGING,
    /** The file is larger than 256 KiB. */
    TOO_LARGE,
    /** The file is not UTF-8. */
    NOT_UTF8,
    /** The text is not YAML 1.2. */
    YAML_SYNTAX,
    /** The file has no content. */
    EMPTY,
    /** Values are nested more than 20 deep. */
    TOO_DEEP,
    /** Anchors and aliases are not allowed. */
    ALIAS_NOT_ALLOWED,
    /** Tags are not allowed. */
    TAG_NOT_ALLOWED,
    /** A key stands twice in one mapping. */
    DUPLICATE_KEY,
    /** The key is not known here. */
    UNKNOWN_KEY,
    /** A required field is missing. */
    MISSING_FIELD,
    /** A field has no value. */
    BLANK_FIELD,
    /** A list stands where a value must, or the like. */
    WRONG_TYPE,
    /** A name, version or path does not follow its grammar. */
    MALFORMED_NAME,
    /** The value is not one of those allowed. */
    UNKNOWN_VALUE,
    /** The runtime does not take this field from the profile. */
    FIELD_NOT_FOR_RUNTIME,
    /** A placeholder stands where it is not replaced. */
    PLACEHOLDER_NOT_REPLACED,
    /** A number is not whole or outside its bounds. */
    NOT_A_NUMBER,
    /** A duration is not written like 30s. */
    NOT_A_DURATION,
    /** The health wait is shorter than the interval of a probe. */
    WAIT_TOO_SHORT,
    /** An address is not http, https or file, or no pinned image. */
    MALFORMED_URL,
    /** A checksum is not sha256: and 64 hexadecimal digits (creation rules 1 and 2). */
    CHECKSUM_NOT_SHA256,
    /** A container image is not pinned by its digest (creation rule 3). */
    IMAGE_NOT_PINNED,
    /** A breaking migration has no recovery plan (creation rule 7). */
    BREAKING_NEEDS_RECOVERY_PLAN,
    /** An id differs from the name of the file or folder. */
    PLACE_MISMATCH,
    /** Two things that must differ have the same name or path. */
    DUPLICATE_NAME,
    /** A variable has a name that Drover gives a value itself. */
    RESERVED_NAME,
    /** There are more entries than allowed. */
    TOO_MANY,
    /** The chain profile does not exist. */
    CHAIN_PROFILE_NOT_FOUND,
    /** The chain profile has no such program. */
    PROGRAM_NOT_FOUND,
    /** The template file does not exist. */
    TEMPLATE_NOT_FOUND,
    /** A manifest changes a configuration file that only the program writes. */
    CONFIG_MANAGED_ONCE,
    /** The template is not written in the subset. */
    TEMPLATE_INVALID,
    /** A warning: no template uses the override. */
    OVERRIDE_UNUSED,
    /** A warning: the signed release beside the manifest is not that of the manifest. */
    SIGNATURE_DIFFERS,
    /** A warning: the chain profile is broken, and its last good content is used. */
    CHAIN_PROFILE_STALE
}
