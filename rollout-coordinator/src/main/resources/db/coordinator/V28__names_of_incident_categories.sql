-- Three categories have standard names (decision 0118). A leader finds the incident that it closes by this name.
UPDATE incident
SET category = CASE category
        WHEN 'command_not_believed' THEN 'command_rejected'
        WHEN 'identity_copied' THEN 'identity_cloned'
        ELSE 'identity_mismatch'
    END
WHERE category IN ('command_not_believed', 'identity_copied', 'identity_misplaced');
