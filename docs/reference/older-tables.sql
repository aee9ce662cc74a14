-- The five tables of the older script as `merge_flow_tables` expects them, in the dialect of
-- MySQL and MariaDB. The seed names the tables and what they mean, not every column, so some of
-- this is assumed: the command stops with the name of a column that is not there. Columns that
-- are not listed here are not looked at. The moments name no zone (--zone).
-- Of `status`: watches WAITING, NOTIFIED, FINISHED; callbacks PENDING, LEASED, SUCCEEDED, FAILED;
-- attempts STARTED, SUCCEEDED, FAILED, and any other word is a retry by hand.

CREATE TABLE flow_draft (
    id BIGINT PRIMARY KEY,
    tenant_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    draft_type VARCHAR(16) NOT NULL,
    flow_key VARCHAR(64),
    deployment_id VARCHAR(64),
    name VARCHAR(128),
    content LONGTEXT NOT NULL,
    version INT NOT NULL DEFAULT 1,
    create_time DATETIME NOT NULL,
    update_time DATETIME NOT NULL
);

CREATE TABLE flow_notice (
    id BIGINT PRIMARY KEY,
    tenant_id BIGINT NOT NULL,
    receiver_id BIGINT NOT NULL,
    notice_type VARCHAR(16) NOT NULL,
    instance_id VARCHAR(64) NOT NULL,
    task_id VARCHAR(64),
    content VARCHAR(512),
    read_flag TINYINT NOT NULL DEFAULT 0,
    read_time DATETIME,
    create_time DATETIME NOT NULL
);

CREATE TABLE flow_task_watch (
    id BIGINT PRIMARY KEY,
    tenant_id BIGINT NOT NULL,
    task_id VARCHAR(64) NOT NULL,
    instance_id VARCHAR(64) NOT NULL,
    deadline DATETIME,
    status VARCHAR(16) NOT NULL,
    notice_id BIGINT,
    last_urge_at DATETIME,
    create_time DATETIME NOT NULL
);

CREATE TABLE flow_callback (
    id BIGINT PRIMARY KEY,
    tenant_id BIGINT NOT NULL,
    event_id VARCHAR(64) NOT NULL,
    instance_id VARCHAR(64) NOT NULL,
    task_id VARCHAR(64),
    initiator_id BIGINT NOT NULL,
    target_url VARCHAR(1024) NOT NULL,
    payload LONGTEXT NOT NULL,
    status VARCHAR(16) NOT NULL,
    attempts INT NOT NULL,
    max_attempts INT NOT NULL,
    next_attempt_at DATETIME,
    lease_owner VARCHAR(64),
    lease_until DATETIME,
    last_result VARCHAR(256),
    create_time DATETIME NOT NULL,
    update_time DATETIME NOT NULL
);

CREATE TABLE flow_callback_attempt (
    id BIGINT PRIMARY KEY,
    tenant_id BIGINT NOT NULL,
    callback_id BIGINT NOT NULL,
    attempt_no INT NOT NULL,
    kind VARCHAR(16) NOT NULL,
    status VARCHAR(16) NOT NULL,
    http_status INT,
    result VARCHAR(512),
    started_at DATETIME NOT NULL,
    finished_at DATETIME
);
